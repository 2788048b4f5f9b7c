//! What an integrator asks of the system, and what it says when it cannot go on.

use std::fmt;

/// Why equations could not be evaluated: what an integrator asks of such an error.
pub trait Failure {
    /// A smaller step may avoid it.
    fn is_recoverable(&self) -> bool;
}

impl Failure for std::convert::Infallible {
    fn is_recoverable(&self) -> bool {
        match *self {}
    }
}

/// A system `x' = f(t, x)`.
pub trait System {
    /// The number of states, if it is known at compile time: few of them are kept in registers then.
    const STATES: Option<usize> = None;

    /// Why an evaluation failed.
    type Error: Failure;

    /// Evaluates `dx = f(t, x)`. A recoverable error asks for a smaller step.
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error>;
}

/// What an implicit method asks on top.
pub trait ImplicitSystem: System {
    /// Evaluates the Jacobian `df/dx` into the places of its pattern, column by column.
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Self::Error>;

    /// Evaluates the second derivative along the solution, `ddx = df/dx dx + df/dt`, where `df/dt` includes the
    /// motion of inputs.
    fn second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), Self::Error>;
}

/// Why an integrator could not make a step. Its memory is still that of the last successful one.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Successful steps.
    pub steps: u64,
    /// Evaluations of `f`.
    pub evaluations: u64,
    /// Steps that were repeated because the error was too large.
    pub error_failures: u64,
    /// Steps that were repeated because the equations failed or Newton's iteration did not converge.
    pub convergence_failures: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Evaluations of the second derivative along the solution.
    pub second_derivatives: u64,
    /// Factorizations.
    pub factorizations: u64,
}

impl Statistics {
    pub(crate) fn write_to(&self, out: &mut super::Writer<'_>) {
        for count in self.counts() {
            out.u64(count);
        }
    }

    pub(crate) fn read_from(from: &mut super::Reader<'_>) -> Result<Statistics, super::Damaged> {
        let mut counts = [0; 7];
        for count in &mut counts {
            *count = from.u64()?;
        }
        let [
            steps,
            evaluations,
            error_failures,
            convergence_failures,
            jacobians,
            second_derivatives,
            factorizations,
        ] = counts;
        Ok(Statistics {
            steps,
            evaluations,
            error_failures,
            convergence_failures,
            jacobians,
            second_derivatives,
            factorizations,
        })
    }

    fn counts(&self) -> [u64; 7] {
        [
            self.steps,
            self.evaluations,
            self.error_failures,
            self.convergence_failures,
            self.jacobians,
            self.second_derivatives,
            self.factorizations,
        ]
    }
}
