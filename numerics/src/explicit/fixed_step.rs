//! Steps of one size: a fixed number of evaluations per step, as real time needs it.

use std::fmt::Debug;

use super::Frame;
use crate::{Damaged, Integrator, Reader, Statistics, StepError, System, Writer};

/// So many states can be kept in registers.
const FEW: usize = 8;

/// An explicit Runge-Kutta method with `STAGES` evaluations per step.
///
/// [`FixedStep`] makes an integrator of it. `k` holds the slopes of the stages, each at least as long as `x`.
pub trait Rule<const STAGES: usize>: Clone + Debug {
    /// The order of consistency.
    const ORDER: usize;
    /// Whether [`Rule::interpolate`] needs the slope at the end of the step.
    const NEEDS_END_SLOPE: bool;

    /// Evaluates the slopes of the stages of a step from `(t, x)` of size `h`; `y` is the argument of a stage.
    fn slopes<S: System + ?Sized, K: AsMut<[f64]>>(
        system: &mut S,
        t: f64,
        h: f64,
        x: &[f64],
        y: &mut [f64],
        k: &mut [K; STAGES],
    ) -> Result<(), S::Error>;

    /// Advances `x` by the step.
    fn advance<K: AsRef<[f64]>>(h: f64, k: &[K; STAGES], x: &mut [f64]);

    /// State `i` in the part `theta` of a step of size `h` from `x0` to `x1`, whose slopes at both ends are `k0` and
    /// `k1`.
    fn interpolate(theta: f64, h: f64, x0: f64, x1: f64, k0: f64, k1: f64) -> f64;
}

/// A method with steps of one size: the largest that is at most `h` and ends where it must.
///
/// ```
/// use fmu_numerics::{Euler, RungeKutta4};
///
/// let mut decay = |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0];
/// let (mut euler, mut runge_kutta) = (Euler::new(1, 0.1), RungeKutta4::new(1, 0.1));
/// euler.restart(0.0, &[1.0]);
/// runge_kutta.restart(0.0, &[1.0]);
/// euler.run(&mut decay, 1.0)?;
/// runge_kutta.run(&mut decay, 1.0)?;
/// assert!((euler.states()[0] - 0.9f64.powi(10)).abs() < 1e-15);
/// assert!((runge_kutta.states()[0] - (-1.0f64).exp()).abs() < 1e-6);
/// assert_eq!(runge_kutta.statistics().evaluations, 40);
/// # Ok::<(), fmu_numerics::StepError<std::convert::Infallible>>(())
/// ```
#[derive(Debug)]
pub struct FixedStep<R, const STAGES: usize> {
    rule: std::marker::PhantomData<R>,
    /// The longest step.
    h: f64,
    frame: Frame,
    k: [Box<[f64]>; STAGES],
    /// `f(t, x)` for the interpolant.
    k_end: Box<[f64]>,
    /// The argument of a stage.
    y: Box<[f64]>,
}

crate::clone_in_place! {
    [R: Clone, const STAGES: usize] FixedStep<R, STAGES> => FixedStep { rule, h, frame, k, k_end, y }
}

impl<R: Rule<STAGES>, const STAGES: usize> FixedStep<R, STAGES> {
    /// For `n` states, with steps of at most `h`.
    pub fn new(n: usize, h: f64) -> Self {
        let zero = vec![0.0; n].into_boxed_slice();
        FixedStep {
            rule: std::marker::PhantomData,
            h,
            frame: Frame::new(n),
            k: std::array::from_fn(|_| zero.clone()),
            k_end: zero.clone(),
            y: zero,
        }
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

    /// Begins at `(t, x)`.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        self.frame.place(t, x);
    }

    /// Goes back to `(t, x)`, as if the steps since then had not been made.
    pub fn undo(&mut self, t: f64, x: &[f64], statistics: Statistics) {
        self.frame.place(t, x);
        self.frame.statistics = statistics;
    }

    /// Makes one step towards `end`.
    #[inline]
    pub fn step<S: System + ?Sized>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        let frame = &mut self.frame;
        let (t, steps) = (frame.t, steps_to(frame.t, end, self.h));
        let h = (end - t) / steps;
        frame.statistics.evaluations += STAGES as u64;
        R::slopes(system, t, h, &frame.x, &mut self.y, &mut self.k).map_err(StepError::Model)?;
        frame.x_old.copy_from_slice(&frame.x);
        R::advance(h, &self.k, &mut frame.x);
        frame.t_old = t;
        frame.t = if steps == 1.0 { end } else { t + h };
        frame.statistics.steps += 1;
        Ok(())
    }

    /// Makes all steps to `end`. There is no interpolant afterwards.
    #[inline]
    pub fn run<S: System>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        match S::known_size() {
            Some(n) if n <= FEW => self.run_few(system, n, end),
            _ => {
                while self.frame.t < end {
                    self.step(system, end)?;
                }
                Ok(())
            }
        }
    }

    /// All steps, with the states in registers.
    #[inline(always)]
    fn run_few<S: System>(&mut self, system: &mut S, n: usize, end: f64) -> Result<(), StepError<S::Error>> {
        let frame = &mut self.frame;
        let (t0, steps) = (frame.t, steps_to(frame.t, end, self.h));
        let h = (end - t0) / steps;
        let mut x = [0.0; FEW];
        x[..n].copy_from_slice(&frame.x[..n]);
        let (count, mut done, mut t) = (steps as u64, 0, t0);
        let result = loop {
            let (mut y, mut k) = ([0.0; FEW], [[0.0; FEW]; STAGES]);
            if let Err(error) = R::slopes(system, t, h, &x[..n], &mut y[..n], &mut k) {
                break Err(StepError::Model(error));
            }
            R::advance(h, &k, &mut x[..n]);
            done += 1;
            if done >= count {
                t = end;
                break Ok(());
            }
            t = t0 + done as f64 * h;
        };
        let tried = done + u64::from(result.is_err());
        frame.statistics.evaluations += STAGES as u64 * tried;
        frame.statistics.steps += done;
        (frame.t, frame.t_old) = (t, t);
        frame.x[..n].copy_from_slice(&x[..n]);
        result
    }

    /// Before [`FixedStep::interpolate`]: evaluates the slope at the end of the last step, if the method needs it.
    /// After an error, the mean slope of the step stands for it.
    pub fn prepare<S: System + ?Sized>(&mut self, system: &mut S) -> Result<(), StepError<S::Error>> {
        if !R::NEEDS_END_SLOPE {
            return Ok(());
        }
        let frame = &mut self.frame;
        frame.statistics.evaluations += 1;
        let evaluated = system.rhs(frame.t, &frame.x, &mut self.k_end);
        evaluated.map_err(|error| {
            // The mean slope of the step.
            let h = frame.t - frame.t_old;
            for (i, k) in self.k_end.iter_mut().enumerate() {
                *k = (frame.x[i] - frame.x_old[i]) / h;
            }
            StepError::Model(error)
        })
    }

    /// The states at a time `t` in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        let frame = &self.frame;
        let (h, theta) = frame.part(t);
        for (i, x) in x.iter_mut().enumerate() {
            let (k0, k1) = (self.k[0][i], self.k_end[i]);
            *x = R::interpolate(theta, h, frame.x_old[i], frame.x[i], k0, k1);
        }
    }

    /// Appends the memory; the interpolant of the last step is not part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        self.frame.write_to(out);
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Self, Damaged> {
        let mut read = self.clone();
        read.frame.read_from(from)?;
        Ok(read)
    }
}

impl<R: Rule<STAGES>, const STAGES: usize, S: System + ?Sized> Integrator<S> for FixedStep<R, STAGES> {
    fn time(&self) -> f64 {
        self.time()
    }
    fn states(&self) -> &[f64] {
        self.states()
    }
    fn order(&self) -> usize {
        R::ORDER
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
    fn prepare(&mut self, system: &mut S) -> Result<(), StepError<S::Error>> {
        self.prepare(system)
    }
    fn interpolate(&self, t: f64, x: &mut [f64]) {
        self.interpolate(t, x);
    }
}

/// How many steps of at most `h` lead from `t` to `end`; a step that would be longer by a rounding counts.
#[inline]
fn steps_to(t: f64, end: f64, h: f64) -> f64 {
    (((end - t) / h) * (1.0 - 1e-9)).ceil().max(1.0)
}
