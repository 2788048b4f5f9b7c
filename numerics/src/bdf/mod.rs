//! A stiff integrator: backward differentiation formulas of variable order (1 to 5) and variable step size, in the
//! fixed leading coefficient form on a Nordsieck array, as the published description of CVODE has it (*Mathematical
//! considerations*; Andersson 2016, equations 7.4 to 7.7), with exact Jacobians and sparse factorization. What happens when inputs
//! jump at a communication point is in `correction.rs`.

mod coefficients;
mod correction;
mod memory;
mod newton;
mod nordsieck;
mod selection;

pub use correction::Crossover;

use super::tolerance::norm;
use super::{
    Failure, ImplicitSystem, Integrator, Pattern, Statistics, StepError, Tolerance, fitted, rounding,
};
use coefficients::{Coefficients, free_polynomial};
use newton::{Corrector, Newton};
use nordsieck::Nordsieck;
use selection::ratio;

/// Higher orders are not stable.
pub const MAX_ORDER: usize = 5;

/// How much a step may grow at once: after a restart, and later.
const FIRST_GROWTH: f64 = 1e4;
const GROWTH: f64 = 10.0;
/// What is left before the end is extrapolated if it is less than this part of a step: a step of this size would
/// make the next ones short, too.
const SLIVER: f64 = 1e-3;
/// Failures of the error test in one step after which the order is doubted, too.
const FEW_FAILURES: u32 = 3;

/// The integrator with all of its memory.
///
/// ```
/// use std::convert::Infallible;
/// use fmu_numerics::bdf::{Bdf, Crossover};
/// use fmu_numerics::{ImplicitSystem, Pattern, System, Tolerance};
///
/// /// x' = -1000 (x - cos t)
/// struct Stiff;
///
/// impl System for Stiff {
///     type Error = Infallible;
///
///     fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
///         dx[0] = -1000.0 * (x[0] - t.cos());
///         Ok(())
///     }
/// }
///
/// impl ImplicitSystem for Stiff {
///     fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Infallible> {
///         values[0] = -1000.0;
///         Ok(())
///     }
/// }
///
/// let mut method = Bdf::new(&Pattern::full(1, 1), Tolerance::new(1e-6, &[1e-6]))
///     .with_crossover(Crossover::Adaptive);
/// method.restart(0.0, &[1.0]);
/// while method.time() < 1.0 {
///     method.step(&mut Stiff, 1.0)?;
/// }
/// let exact = (1e6 * 1.0f64.cos() + 1e3 * 1.0f64.sin()) / (1e6 + 1.0);
/// assert!((method.states()[0] - exact).abs() < 1e-5);
/// assert!(method.statistics().steps < 100);
/// # Ok::<(), fmu_numerics::StepError<Infallible>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bdf {
    tolerance: Tolerance,
    max_step: f64,
    max_order: usize,
    crossover: Crossover,

    t: f64,
    /// The step size that `z` is scaled to.
    h: f64,
    /// The order of `z`.
    q: usize,
    z: Nordsieck,
    /// The last step sizes, the latest first.
    tau: [f64; MAX_ORDER],
    /// Only the initial values are known.
    is_new: bool,
    /// The equations have changed since the last step.
    crossed: bool,

    /// What the next step would like to be.
    next_h: f64,
    next_q: usize,
    /// By how much it may be longer than the last one.
    growth: f64,
    /// Steps until another order is considered.
    wait: usize,
    /// `Delta` of the last step was this times `x^(q+1) / (q+1)!`; 0 if it says nothing about the next one.
    delta_scale: f64,
    delta_old: Box<[f64]>,

    newton: Newton,
    predicted: Nordsieck,
    weights: Box<[f64]>,
    work: [Box<[f64]>; 2],
    statistics: Statistics,
}

impl Bdf {
    /// For a system whose Jacobian has the given pattern, which is square.
    pub fn new(pattern: &Pattern, tolerance: Tolerance) -> Bdf {
        let n = pattern.columns();
        let zero = vec![0.0; n].into_boxed_slice();
        Bdf {
            tolerance,
            max_step: f64::INFINITY,
            max_order: MAX_ORDER,
            crossover: Crossover::default(),
            t: 0.0,
            h: 1.0,
            q: 1,
            z: Nordsieck::new(n),
            tau: [0.0; MAX_ORDER],
            is_new: true,
            crossed: false,
            next_h: 1.0,
            next_q: 1,
            growth: FIRST_GROWTH,
            wait: 2,
            delta_scale: 0.0,
            delta_old: zero.clone(),
            newton: Newton::new(pattern),
            predicted: Nordsieck::new(n),
            weights: zero.clone(),
            work: [zero.clone(), zero],
            statistics: Statistics::default(),
        }
    }

    /// With steps of at most `max_step`.
    pub fn with_max_step(self, max_step: f64) -> Bdf {
        Bdf { max_step, ..self }
    }

    /// With orders of at most `max_order`, from 1 to [`MAX_ORDER`].
    pub fn with_max_order(self, max_order: usize) -> Bdf {
        let max_order = max_order.clamp(1, MAX_ORDER);
        Bdf { max_order, ..self }
    }

    /// With another way to go on where inputs jump.
    pub fn with_crossover(self, crossover: Crossover) -> Bdf {
        Bdf { crossover, ..self }
    }

    /// The time that is reached.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The states there.
    pub fn states(&self) -> &[f64] {
        self.z.row(0)
    }

    /// The order of the last step.
    pub fn order(&self) -> usize {
        self.q
    }

    /// What has been done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Begins at `(t, x)` without history.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        self.t = t;
        self.z.row_mut(0).copy_from_slice(x);
        self.is_new = true;
        self.crossed = false;
        self.newton.forget();
    }

    /// The tolerance, which may change between two steps.
    pub fn tolerance_mut(&mut self) -> &mut Tolerance {
        &mut self.tolerance
    }

    /// The states at a time `t` in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        self.z.evaluate(self.q, (t - self.t) / self.h, x);
    }

    /// Makes one step towards `end`.
    pub fn step<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        end: f64,
    ) -> Result<(), StepError<S::Error>> {
        self.tolerance.weights(self.z.row(0), &mut self.weights);
        if self.crossed {
            self.cross(system)?;
        }
        if self.is_new {
            self.begin(system, end)?;
        }
        if end - self.t < SLIVER * self.h {
            self.z.shift(self.q, (end - self.t) / self.h);
            self.tau[0] += end - self.t;
            self.t = end;
            self.statistics.steps += 1;
            return Ok(());
        }
        self.change_order(self.next_q);
        let wanted = self.next_h.min(self.max_step);
        let mut h = fitted(self.t, end, wanted.min(self.growth * self.h));
        let mut failures = 0;
        let mut smooth = true;
        loop {
            self.z.rescale(self.q, h / self.h);
            self.h = h;
            let t = if h >= end - self.t { end } else { self.t + h };
            let c = Coefficients::new(self.q, &self.steps_with(h));
            self.predicted.predict(self.q, &self.z);
            let corrector = Corrector {
                t,
                h,
                predicted: &self.predicted,
                coefficients: &c,
                weights: &self.weights,
            };
            let outcome = self.newton.solve(system, &corrector, &mut self.statistics);
            let problem = match outcome {
                Ok(true) => {
                    let error = self.weighted(&self.newton.delta);
                    if error <= 1.0 {
                        self.accept(t, &c, error, wanted, smooth);
                        return Ok(());
                    }
                    self.statistics.error_failures += 1;
                    failures += 1;
                    h *= self.after_failure(system, error, failures)?;
                    None
                }
                Ok(false) => {
                    self.statistics.convergence_failures += 1;
                    h *= 0.25;
                    None
                }
                Err(error) if error.is_recoverable() => {
                    self.statistics.convergence_failures += 1;
                    h *= 0.25;
                    Some(error)
                }
                Err(error) => return Err(StepError::Model(error)),
            };
            smooth = false;
            if h.is_nan() || h <= rounding(self.t) {
                return Err(match problem {
                    Some(error) => StepError::Model(error),
                    None => StepError::TooSmall { t: self.t, h },
                });
            }
        }
    }

    /// Puts the initial derivative into the history.
    fn begin<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        end: f64,
    ) -> Result<(), StepError<S::Error>> {
        let [dx, ddx] = &mut self.work;
        self.statistics.evaluations += 1;
        system.rhs(self.t, self.z.row(0), dx).map_err(StepError::Model)?;
        self.statistics.second_derivatives += 1;
        system
            .second_derivative(self.t, self.z.row(0), dx, ddx)
            .map_err(StepError::Model)?;
        let h = self.first_step().min(end - self.t).min(self.max_step);
        let [dx, _] = &self.work;
        for (z, dx) in self.z.row_mut(1).iter_mut().zip(dx) {
            *z = h * *dx;
        }
        self.h = h;
        self.q = 1;
        self.next_h = h;
        self.next_q = 1;
        self.wait = 2;
        self.growth = FIRST_GROWTH;
        self.delta_scale = 0.0;
        self.tau = [0.0; MAX_ORDER];
        self.is_new = false;
        Ok(())
    }

    /// The first step is of order 1: a size for which `h^2 x'' / 2` is a quarter of the tolerance. The second
    /// derivative is in `work`.
    fn first_step(&self) -> f64 {
        0.5 * (2.0 / self.weighted(&self.work[1])).sqrt()
    }

    /// The step sizes if the next one is `h`.
    fn steps_with(&self, h: f64) -> [f64; MAX_ORDER + 1] {
        let mut steps = [h; MAX_ORDER + 1];
        steps[1..].copy_from_slice(&self.tau);
        steps
    }

    fn weighted(&self, row: &[f64]) -> f64 {
        norm(row.iter().zip(&self.weights).map(|(row, w)| row * w))
    }
}

impl<S: ImplicitSystem + ?Sized> Integrator<S> for Bdf {
    fn time(&self) -> f64 {
        self.time()
    }
    fn states(&self) -> &[f64] {
        self.states()
    }
    fn order(&self) -> usize {
        self.order()
    }
    fn statistics(&self) -> Statistics {
        self.statistics()
    }
    fn restart(&mut self, t: f64, x: &[f64]) {
        self.restart(t, x);
    }
    fn step(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        self.step(system, end)
    }
    /// Its history is its interpolant.
    fn prepare(&mut self, _: &mut S) -> Result<(), StepError<S::Error>> {
        Ok(())
    }
    fn interpolate(&self, t: f64, x: &mut [f64]) {
        self.interpolate(t, x);
    }
}
