//! The integrators of [`fmu_numerics`], for systems whose evaluation fails with a [`ModelError`].

use crate::ModelError;

#[cfg(feature = "bdf")]
pub use fmu_numerics::bdf;
pub use fmu_numerics::{
    Break, Coloring, Crossing, Curve, Damaged, DormandPrince, Euler, ImplicitSystem, MAX_CURVE_ORDER, Method,
    Pattern, Reader, RungeKutta4, Statistics, Still, System, Tolerance, Writer, changed, locate,
    locate_event, remember,
};

/// Why an integrator could not make a step.
pub type StepError = fmu_numerics::StepError<ModelError>;

impl fmu_numerics::Failure for ModelError {
    fn is_recoverable(&self) -> bool {
        ModelError::is_recoverable(self)
    }
}
