//! How the author wants a model to be integrated: attributes of `#[model]`, and parameters of the FMU if
//! `#[model(solver_parameters)]` asks for that.

use super::{Options, Solver};
use crate::model::{Describe, Model};
use crate::prelude::*;

/// How a co-simulation integrates: the part `solver` of a model with `#[model(solver_parameters)]`.
#[model]
pub struct SolverParameters {
    /// Integrator of the co-simulation
    #[parameter(start = Solver::DormandPrince)]
    pub method: Solver,
    /// Relative tolerance of the integrator, if the environment gives none
    #[parameter(start = 1e-6, min = 0.0)]
    pub tolerance: f64,
    /// Longest step of the integrator, and the length of a fixed one; 0: as long as the communication step
    #[parameter(start = 0.0, min = 0.0, unit = "s")]
    pub max_step: f64,
    /// Most steps of the integrator in one communication step, which ends as discarded where it needs more; 0: any number
    #[parameter(start = 0, min = 0)]
    pub max_internal_steps: i32,
}

#[equations]
impl Model for SolverParameters {}

impl Options {
    /// From a model's attributes and parameters.
    pub fn of<M: Model>(model: &M) -> Options {
        let (about, defaults) = (<M as Describe>::about(), Options::default());
        let mut options = Options::with(about.solver);
        options.tolerance = about.tolerance.unwrap_or(defaults.tolerance);
        options.max_step = about.max_step.unwrap_or(defaults.max_step);
        let steps = |number: i32| u32::try_from(number).unwrap_or(0);
        options.max_internal_steps = about.max_internal_steps.map_or(0, steps);
        if about.solver_parameters {
            // They are the last variables of the model.
            let (reals, integers) = (M::COUNTS.reals, M::COUNTS.integers);
            if let Some(method) = Enumeration::from_value(model.integer(integers - 2)) {
                options.solver = method;
            }
            options.max_internal_steps = steps(model.integer(integers - 1));
            options.tolerance = model.real(reals - 2);
            options.max_step = match model.real(reals - 1) {
                0.0 => defaults.max_step,
                max_step => max_step,
            };
        }
        options
    }

    /// With the tolerance limited to what an integrator can keep.
    pub(super) fn sensible(self) -> Options {
        Options {
            tolerance: self.tolerance.clamp(1e-13, 0.1),
            ..self
        }
    }
}
