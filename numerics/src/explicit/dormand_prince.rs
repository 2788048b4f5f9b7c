//! The explicit Runge-Kutta pair of Dormand and Prince of order 5(4), in the letters of Hairer, Nørsett and Wanner,
//! *Solving Ordinary Differential Equations I*: coefficients in table II.5.2, interpolant in II.6, step size control
//! with a proportional and an integral part in *II*, IV.2, initial step size in II.4.

use super::Frame;
use crate::tolerance::norm;
use crate::{
    Damaged, Failure, Integrator, Reader, Statistics, StepError, System, Tolerance, Writer, fitted, rounding,
};

const STAGES: usize = 7;
const C: [f64; STAGES] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
/// The last row is that of the solution of order 5.
const A: [&[f64]; STAGES] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
    ],
    &[
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
    ],
    &[
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];
/// Difference of the weights of order 5 and of order 4.
const E: [f64; STAGES] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];
/// What the interpolant of order 4 needs beside Hermite's cubic.
const D: [f64; STAGES] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

const SAFETY: f64 = 0.9;
const SMALLEST_FACTOR: f64 = 0.2;
const LARGEST_FACTOR: f64 = 10.0;
/// The integral part of the control.
const BETA: f64 = 0.04;
const ALPHA: f64 = 0.2 - 0.75 * BETA;

/// Steps of variable size, with an interpolant of order 4.
///
/// ```
/// use fmu_numerics::{DormandPrince, Tolerance};
///
/// let mut oscillator = |_t: f64, x: &[f64], dx: &mut [f64]| (dx[0], dx[1]) = (x[1], -x[0]);
/// let mut method = DormandPrince::new(2, Tolerance::new(1e-8, &[1e-8; 2]));
/// method.restart(0.0, &[0.0, 1.0]);
/// while method.time() < 3.0 {
///     method.step(&mut oscillator, 3.0)?;
/// }
/// assert!((method.states()[0] - 3.0f64.sin()).abs() < 1e-7);
/// let mut x = [0.0; 2];
/// method.prepare();
/// method.interpolate(2.95, &mut x);
/// assert!((x[0] - 2.95f64.sin()).abs() < 1e-6);
/// # Ok::<(), fmu_numerics::StepError<std::convert::Infallible>>(())
/// ```
#[derive(Debug)]
pub struct DormandPrince {
    tolerance: Tolerance,
    max_step: f64,
    frame: Frame,
    /// `k[0]` is `f(t, x)`: the last stage of a step is the first one of the next.
    first_is_known: bool,
    /// Size of the next step; 0 if it is to be chosen again.
    h: f64,
    /// Error of the last step, for the integral part of the control.
    error_old: f64,
    k: [Box<[f64]>; STAGES],
    /// The last term of the interpolant.
    bend: Box<[f64]>,
    /// The argument of a stage; the last one is the new solution.
    y: Box<[f64]>,
    weights: Box<[f64]>,
}

crate::clone_in_place! {
    [] DormandPrince => DormandPrince {
        tolerance, max_step, frame, first_is_known, h, error_old, k, bend, y, weights
    }
}

impl DormandPrince {
    /// For `n` states.
    pub fn new(n: usize, tolerance: Tolerance) -> DormandPrince {
        let zero = vec![0.0; n].into_boxed_slice();
        DormandPrince {
            tolerance,
            max_step: f64::INFINITY,
            frame: Frame::new(n),
            first_is_known: false,
            h: 0.0,
            error_old: 1e-4,
            k: std::array::from_fn(|_| zero.clone()),
            bend: zero.clone(),
            y: zero.clone(),
            weights: zero,
        }
    }

    /// With steps of at most `max_step`.
    pub fn with_max_step(self, max_step: f64) -> DormandPrince {
        DormandPrince { max_step, ..self }
    }

    /// The tolerance, which may change between two steps.
    pub fn tolerance_mut(&mut self) -> &mut Tolerance {
        &mut self.tolerance
    }

    /// The time that is reached.
    #[inline]
    pub fn time(&self) -> f64 {
        self.frame.t
    }

    /// The states there.
    #[inline]
    pub fn states(&self) -> &[f64] {
        &self.frame.x
    }

    /// What has been done so far.
    pub fn statistics(&self) -> Statistics {
        self.frame.statistics
    }

    /// Begins at `(t, x)` with a step size to be chosen.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        self.go_on(t, x);
        self.h = 0.0;
        self.error_old = 1e-4;
    }

    /// Goes on from `(t, x)`, where states or inputs have jumped, and keeps the step size.
    pub fn go_on(&mut self, t: f64, x: &[f64]) {
        self.frame.place(t, x);
        self.first_is_known = false;
    }

    /// The equations have changed, and the states have not.
    pub fn cross_over(&mut self) {
        self.first_is_known = false;
    }

    /// Makes one step towards `end`.
    pub fn step<S: System + ?Sized>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        self.tolerance.weights(&self.frame.x, &mut self.weights);
        if !self.first_is_known {
            self.frame.statistics.evaluations += 1;
            system
                .rhs(self.frame.t, &self.frame.x, &mut self.k[0])
                .map_err(StepError::Model)?;
            self.first_is_known = true;
        }
        if self.h == 0.0 {
            self.h = self.initial_step(system, end);
        }
        let wanted = self.h.min(self.max_step);
        let mut h = fitted(self.frame.t, end, wanted);
        let mut rejected = false;
        loop {
            let failure = match self.stages(system, h) {
                Ok(()) => None,
                Err(error) if error.is_recoverable() => Some(error),
                Err(error) => return Err(StepError::Model(error)),
            };
            let error = match failure {
                None => self.error(h),
                Some(_) => f64::NAN,
            };
            if error <= 1.0 {
                self.accept(h, end, error, wanted, rejected);
                return Ok(());
            }
            rejected = true;
            if error.is_nan() {
                self.frame.statistics.convergence_failures += 1;
                h *= SMALLEST_FACTOR;
            } else {
                self.frame.statistics.error_failures += 1;
                h *= (SAFETY / error.powf(ALPHA)).max(SMALLEST_FACTOR);
            }
            if h.is_nan() || h <= rounding(self.frame.t) {
                return Err(match failure {
                    Some(error) => StepError::Model(error),
                    None => StepError::TooSmall { t: self.frame.t, h },
                });
            }
        }
    }

    /// Evaluates the stages; afterwards `y` is the solution of order 5 at `t + h`, and `k[6]` its derivative.
    fn stages<S: System + ?Sized>(&mut self, system: &mut S, h: f64) -> Result<(), S::Error> {
        for s in 1..STAGES {
            let (known, k) = self.k.split_at_mut(s);
            for (i, (y, x)) in self.y.iter_mut().zip(&self.frame.x).enumerate() {
                let slope: f64 = A[s].iter().zip(&*known).map(|(a, k)| a * k[i]).sum();
                *y = x + h * slope;
            }
            self.frame.statistics.evaluations += 1;
            system.rhs(self.frame.t + C[s] * h, &self.y, &mut k[0])?;
        }
        Ok(())
    }

    /// The difference of order 5 and order 4; 1 is just tolerable.
    fn error(&mut self, h: f64) -> f64 {
        // The larger of both ends counts, also if the solution passes 0.
        for ((weight, x), y) in self.weights.iter_mut().zip(&self.frame.x).zip(&self.y) {
            if y.abs() > x.abs() {
                *weight = 1.0 / (1.0 / *weight + self.tolerance.relative() * (y.abs() - x.abs()));
            }
        }
        let difference = |i: usize| -> f64 { E.iter().zip(&self.k).map(|(e, k)| e * k[i]).sum() };
        norm((0..self.frame.x.len()).map(|i| h * difference(i) * self.weights[i]))
    }

    fn accept(&mut self, h: f64, end: f64, error: f64, wanted: f64, rejected: bool) {
        let factor = SAFETY * self.error_old.powf(BETA) / error.powf(ALPHA);
        let largest = if rejected { 1.0 } else { LARGEST_FACTOR };
        self.h = h * factor.clamp(SMALLEST_FACTOR, largest);
        // A step that had to end early says little about longer ones.
        if h < wanted && !rejected && factor >= largest {
            self.h = self.h.max(wanted);
        }
        self.error_old = error.max(1e-4);
        self.frame.t_old = self.frame.t;
        self.frame.t = if h >= end - self.frame.t {
            end
        } else {
            self.frame.t + h
        };
        std::mem::swap(&mut self.frame.x, &mut self.frame.x_old);
        self.frame.x.copy_from_slice(&self.y);
        self.k.swap(0, STAGES - 1);
        self.frame.statistics.steps += 1;
    }

    /// A step size at which an explicit Euler step would differ from the solution by about a hundredth of the
    /// tolerance (II.4).
    fn initial_step(&mut self, system: &mut (impl System + ?Sized), end: f64) -> f64 {
        let n = self.frame.x.len();
        let longest = (end - self.frame.t).min(self.max_step);
        let d0 = norm((0..n).map(|i| self.frame.x[i] * self.weights[i]));
        let d1 = norm((0..n).map(|i| self.k[0][i] * self.weights[i]));
        let mut h0 = match d0 < 1e-5 || d1 < 1e-5 {
            true => 1e-6,
            false => 0.01 * d0 / d1,
        }
        .min(longest);
        for _ in 0..8 {
            for (i, y) in self.y.iter_mut().enumerate() {
                *y = self.frame.x[i] + h0 * self.k[0][i];
            }
            self.frame.statistics.evaluations += 1;
            if system.rhs(self.frame.t + h0, &self.y, &mut self.k[1]).is_ok() {
                let d2 = norm((0..n).map(|i| (self.k[1][i] - self.k[0][i]) * self.weights[i])) / h0;
                let steepest = d1.max(d2);
                let h1 = match steepest <= 1e-15 {
                    true => (h0 * 1e-3).max(1e-6),
                    false => (0.01 / steepest).powf(0.2),
                };
                // NaN keeps the first guess.
                let h = (100.0 * h0).min(h1).min(longest);
                // Numbers whose squares are too large leave no guess at all: the control of the error will find one.
                return if h > 0.0 { h } else { 1e-6 * longest };
            }
            h0 *= 0.1;
        }
        h0
    }

    /// Before [`DormandPrince::interpolate`]: the last term of the interpolant.
    pub fn prepare(&mut self) {
        let h = self.frame.t - self.frame.t_old;
        for (i, bend) in self.bend.iter_mut().enumerate() {
            let k = |s: usize| match s {
                0 => self.k[STAGES - 1][i],
                s if s == STAGES - 1 => self.k[0][i],
                s => self.k[s][i],
            };
            *bend = h * (0..STAGES).map(|s| D[s] * k(s)).sum::<f64>();
        }
    }

    /// The states at a time `t` in the last step, to order 4.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        let (h, theta) = self.frame.part(t);
        let rest = 1.0 - theta;
        for (i, x) in x.iter_mut().enumerate() {
            let (x0, difference) = (self.frame.x_old[i], self.frame.x[i] - self.frame.x_old[i]);
            let start = h * self.k[STAGES - 1][i] - difference;
            let end = difference - h * self.k[0][i] - start;
            *x = x0 + theta * (difference + rest * (start + theta * (end + rest * self.bend[i])));
        }
    }

    /// Appends the memory; the interpolant of the last step is not part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        self.frame.write_to(out);
        out.f64(self.h);
        out.f64(self.error_old);
        out.bool(self.first_is_known);
        if self.first_is_known {
            out.f64s(&self.k[0]);
        }
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<DormandPrince, Damaged> {
        let mut read = self.clone();
        read.frame.read_from(from)?;
        read.h = from.nonnegative()?;
        read.error_old = from.nonnegative()?;
        read.first_is_known = from.bool()?;
        if read.first_is_known {
            from.f64s(&mut read.k[0])?;
        }
        Ok(read)
    }
}

impl<S: System + ?Sized> Integrator<S> for DormandPrince {
    fn time(&self) -> f64 {
        self.time()
    }
    fn states(&self) -> &[f64] {
        self.states()
    }
    fn order(&self) -> usize {
        5
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
    fn prepare(&mut self, _: &mut S) -> Result<(), StepError<S::Error>> {
        self.prepare();
        Ok(())
    }
    fn interpolate(&self, t: f64, x: &mut [f64]) {
        self.interpolate(t, x);
    }
}
