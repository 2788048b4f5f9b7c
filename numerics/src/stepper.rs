//! Integration behind a trait: a method on its own ([`Integrator`]), and a method together with its system
//! ([`Stepper`]).

use std::cell::RefCell;

use crate::{Statistics, StepError, System};

/// A method with all of its memory, for systems of type `S`. The system is passed to each call, so that a clone of the
/// method is a snapshot.
///
/// [`Euler`](crate::Euler), [`RungeKutta4`](crate::RungeKutta4) and [`DormandPrince`](crate::DormandPrince) implement
/// it, and `Bdf` for an [`ImplicitSystem`](crate::ImplicitSystem).
///
/// ```
/// use fmu_numerics::{DormandPrince, Integrator, RungeKutta4, System, Tolerance};
///
/// fn end<S: System>(mut method: impl Integrator<S>, system: &mut S) -> f64 {
///     method.restart(0.0, &[1.0]);
///     while method.time() < 1.0 {
///         assert!(method.step(system, 1.0).is_ok());
///     }
///     method.states()[0]
/// }
///
/// let mut decay = |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0];
/// let fixed = end(RungeKutta4::new(1, 0.01), &mut decay);
/// let controlled = end(DormandPrince::new(1, Tolerance::new(1e-9, &[1e-9])), &mut decay);
/// assert!((fixed - controlled).abs() < 1e-8);
/// ```
pub trait Integrator<S: System + ?Sized> {
    /// The time that is reached.
    fn time(&self) -> f64;

    /// The states there.
    fn states(&self) -> &[f64];

    /// The order of the last step.
    fn order(&self) -> usize;

    /// What has been done so far.
    fn statistics(&self) -> Statistics;

    /// Begins at `(t, x)`, and forgets what was before.
    fn restart(&mut self, t: f64, x: &[f64]);

    /// Makes one step towards `end`, and never passes it.
    fn step(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>>;

    /// Before [`Integrator::interpolate`]: evaluates what the interpolant of the last step needs. After an error the
    /// interpolant still meets both ends of the step, with a lower order.
    fn prepare(&mut self, system: &mut S) -> Result<(), StepError<S::Error>>;

    /// The states at a time `t` in the last step.
    fn interpolate(&self, t: f64, x: &mut [f64]);
}

/// A method together with the system that it integrates. Callers that search events or record results work with a
/// `dyn Stepper`, whichever method and whichever crate is behind it.
///
/// ```
/// use std::cell::RefCell;
/// use fmu_numerics::{Attached, RungeKutta4, Stepper};
///
/// let decay = RefCell::new(|_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0]);
/// let mut attached = Attached::new(RungeKutta4::new(1, 0.1), &decay);
/// let stepper: &mut dyn Stepper<Error = _> = &mut attached;
/// stepper.restart(0.0, &[1.0]);
/// while stepper.time() < 1.0 {
///     stepper.step(1.0)?;
/// }
/// let mut x = [0.0];
/// stepper.interpolate(0.95, &mut x);
/// assert!((x[0] - (-0.95f64).exp()).abs() < 1e-6);
/// # Ok::<(), fmu_numerics::StepError<std::convert::Infallible>>(())
/// ```
pub trait Stepper {
    /// Why a step may fail.
    type Error;

    /// The time that is reached.
    fn time(&self) -> f64;

    /// The states there.
    fn states(&self) -> &[f64];

    /// The order of the method at present.
    fn order(&self) -> usize;

    /// The estimated error of the last step as a part of the tolerated one; `None` if it is not known.
    fn error(&self) -> Option<f64> {
        None
    }

    /// What has been done so far.
    fn statistics(&self) -> Statistics;

    /// Begins at `(t, x)`, and forgets what was before.
    fn restart(&mut self, t: f64, x: &[f64]);

    /// Makes one step towards `end`, never passes it, and never evaluates the system beyond it.
    fn step(&mut self, end: f64) -> Result<(), Self::Error>;

    /// The states at a time `t` in the last step.
    fn interpolate(&mut self, t: f64, x: &mut [f64]);
}

/// An [`Integrator`] as a [`Stepper`]: with a system that it shares with its caller.
pub struct Attached<'s, M, S: ?Sized> {
    method: M,
    system: &'s RefCell<S>,
    /// The interpolant of the last step is ready.
    is_prepared: bool,
}

impl<'s, M, S: ?Sized> Attached<'s, M, S> {
    /// The method, with a system that nothing else borrows during a step.
    pub fn new(method: M, system: &'s RefCell<S>) -> Self {
        Attached {
            method,
            system,
            is_prepared: false,
        }
    }
}

impl<S: System + ?Sized, M: Integrator<S>> Stepper for Attached<'_, M, S> {
    type Error = StepError<S::Error>;

    fn time(&self) -> f64 {
        self.method.time()
    }

    fn states(&self) -> &[f64] {
        self.method.states()
    }

    fn order(&self) -> usize {
        self.method.order()
    }

    fn statistics(&self) -> Statistics {
        self.method.statistics()
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.is_prepared = false;
        self.method.restart(t, x);
    }

    fn step(&mut self, end: f64) -> Result<(), Self::Error> {
        self.is_prepared = false;
        self.method.step(&mut *self.system.borrow_mut(), end)
    }

    fn interpolate(&mut self, t: f64, x: &mut [f64]) {
        if !self.is_prepared {
            self.is_prepared = true;
            // After an error the interpolant is of a lower order; the next step reports the error.
            let _ = self.method.prepare(&mut *self.system.borrow_mut());
        }
        self.method.interpolate(t, x);
    }
}
