//! `fmi2GetDirectionalDerivative`.

use super::instance::Instance;
use super::problem::{Outcome, Problem};
use crate::model::Model;
use fmi::fmi2::{fmi2Real, fmi2ValueReference};

impl<M: Model> Instance<M> {
    /// `fmi2GetDirectionalDerivative`: not offered yet.
    pub fn get_directional_derivative(
        &mut self,
        _unknowns: &[fmi2ValueReference],
        _knowns: &[fmi2ValueReference],
        _seed: &[fmi2Real],
        _derivative: &mut [fmi2Real],
    ) -> Outcome {
        Err(Problem::error(
            "this FMU has no directional derivatives, as providesDirectionalDerivative says",
        ))
    }
}
