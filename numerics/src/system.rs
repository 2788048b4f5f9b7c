//! What an integrator needs of a system, and what it reports when it cannot go on.

use std::fmt;

use crate::Pattern;

/// Why equations could not be evaluated, as an integrator sees it; [`Refused`] has an example.
pub trait Failure {
    /// A smaller step may avoid it.
    fn is_recoverable(&self) -> bool;
}

impl Failure for std::convert::Infallible {
    fn is_recoverable(&self) -> bool {
        match *self {}
    }
}

/// The system cannot be evaluated there; other values or a smaller step may avoid it. For systems that report their
/// errors in another way.
///
/// ```
/// use fmu_numerics::{Failure, Refused};
///
/// assert!(Refused.is_recoverable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

impl Failure for Refused {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system cannot be evaluated")
    }
}

impl std::error::Error for Refused {}

/// A system `x' = f(t, x)`.
///
/// A closure is a system that never fails:
///
/// ```
/// use fmu_numerics::System;
///
/// let mut decay = |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0];
/// let mut dx = [0.0];
/// decay.rhs(0.0, &[2.0], &mut dx)?;
/// assert_eq!(dx, [-2.0]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub trait System {
    /// Why an evaluation failed.
    type Error: Failure;

    /// Evaluates `dx = f(t, x)`. A recoverable error asks for a smaller step.
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error>;

    /// The number of states, if it is known at compile time: a few states are kept in registers then.
    #[inline(always)]
    fn known_size() -> Option<usize>
    where
        Self: Sized,
    {
        None
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> System for F {
    type Error = std::convert::Infallible;

    #[inline]
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error> {
        self(t, x, dx);
        Ok(())
    }
}

/// What an implicit method needs in addition.
///
/// ```
/// use std::convert::Infallible;
/// use fmu_numerics::{ImplicitSystem, System};
///
/// /// x' = -x^2
/// struct Quadratic;
///
/// impl System for Quadratic {
///     type Error = Infallible;
///
///     fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
///         dx[0] = -x[0] * x[0];
///         Ok(())
///     }
/// }
///
/// impl ImplicitSystem for Quadratic {
///     fn jacobian(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Infallible> {
///         values[0] = -2.0 * x[0];
///         Ok(())
///     }
/// }
///
/// // x'' = -2 x x' = 2 x^3, here by a difference.
/// let mut ddx = [0.0];
/// Quadratic.second_derivative(0.0, &[2.0], &[-4.0], &mut ddx)?;
/// assert!((ddx[0] - 16.0).abs() < 1e-6);
/// # Ok::<(), Infallible>(())
/// ```
pub trait ImplicitSystem: System {
    /// Where the Jacobian `df/dx` has entries; `None` if it is full.
    fn pattern(&self) -> Option<&Pattern> {
        None
    }

    /// Evaluates the Jacobian `df/dx`: the entries of its pattern in their order, or all of them column by column.
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Self::Error>;

    /// Evaluates the second derivative along the solution, `ddx = df/dx dx + df/dt`, where `df/dt` includes the
    /// motion of inputs. By default, a difference along the solution.
    fn second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), Self::Error> {
        // A time in which no state moves by more than a small part of its size.
        let times = x.iter().zip(dx).map(|(x, dx)| x.abs().max(1.0) / dx.abs());
        let time = times
            .fold(1.0, f64::min)
            .max(16.0 * t.abs() * f64::EPSILON.sqrt());
        let after = t + f64::EPSILON.sqrt() * time;
        let step = after - t;
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + step * dx).collect();
        self.rhs(after, &moved, ddx)?;
        for (ddx, dx) in ddx.iter_mut().zip(dx) {
            *ddx = (*ddx - dx) / step;
        }
        Ok(())
    }
}

/// Why an integrator could not make a step. Its memory is still that of the last successful one.
///
/// ```
/// use fmu_numerics::{DormandPrince, StepError, Tolerance};
///
/// // x' = x^2 has a pole at t = 1.
/// let mut pole = |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = x[0] * x[0];
/// let mut method = DormandPrince::new(1, Tolerance::new(1e-6, &[1e-6]));
/// method.restart(0.0, &[1.0]);
/// let error = loop {
///     if let Err(error) = method.step(&mut pole, 2.0) {
///         break error;
///     }
/// };
/// assert!(matches!(error, StepError::TooSmall { t, .. } if (t - 1.0).abs() < 1e-3));
/// ```
#[derive(Debug)]
pub enum StepError<E> {
    /// The equations failed, and no smaller step could avoid it.
    Model(E),
    /// The step size that the tolerance asks for is lost in the rounding of the time.
    TooSmall {
        /// The time that was reached.
        t: f64,
        /// The step size.
        h: f64,
    },
}

impl<E: fmt::Display> fmt::Display for StepError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::Model(error) => write!(f, "{error}"),
            StepError::TooSmall { t, h } => write!(
                f,
                "the integrator cannot go on at t = {t}: to meet the tolerance it would need steps of {h:e}. \
                 Is there a discontinuity without event indicator, a pole, or stiffness that asks for \"bdf\"?"
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for StepError<E> {}

/// What an integrator has done so far.
///
/// ```
/// use fmu_numerics::RungeKutta4;
///
/// let mut method = RungeKutta4::new(1, 0.1);
/// method.restart(0.0, &[1.0]);
/// method.run(&mut |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0], 1.0)?;
/// let mut twice = method.statistics();
/// twice += method.statistics();
/// assert_eq!((twice.steps, twice.evaluations), (20, 80));
/// # Ok::<(), fmu_numerics::StepError<std::convert::Infallible>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Successful steps.
    pub steps: u64,
    /// Evaluations of `f`.
    pub evaluations: u64,
    /// Steps that were repeated because the error was too large.
    pub error_failures: u64,
    /// Steps that were repeated because the equations failed or Newton's iteration did not converge.
    pub convergence_failures: u64,
    /// Iterations of Newton's method.
    pub newton_iterations: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Evaluations of the second derivative along the solution.
    pub second_derivatives: u64,
    /// Factorizations.
    pub factorizations: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        let sums = std::array::from_fn(|at| self.counts()[at] + other.counts()[at]);
        *self = Statistics::of(sums);
    }
}

impl Statistics {
    pub(crate) fn write_to(&self, out: &mut super::Writer<'_>) {
        for count in self.counts() {
            out.u64(count);
        }
    }

    pub(crate) fn read_from(from: &mut super::Reader<'_>) -> Result<Statistics, super::Damaged> {
        let mut counts = [0; 8];
        for count in &mut counts {
            *count = from.u64()?;
        }
        Ok(Statistics::of(counts))
    }

    fn of(counts: [u64; 8]) -> Statistics {
        let [
            steps,
            evaluations,
            error_failures,
            convergence_failures,
            newton_iterations,
            jacobians,
            second_derivatives,
            factorizations,
        ] = counts;
        Statistics {
            steps,
            evaluations,
            error_failures,
            convergence_failures,
            newton_iterations,
            jacobians,
            second_derivatives,
            factorizations,
        }
    }

    fn counts(&self) -> [u64; 8] {
        [
            self.steps,
            self.evaluations,
            self.error_failures,
            self.convergence_failures,
            self.newton_iterations,
            self.jacobians,
            self.second_derivatives,
            self.factorizations,
        ]
    }
}
