//! What the integrator has done, as variables of the FMU if `#[model(solver_statistics)]` asks for that: they
//! show what a coupling costs inside of the coupled FMUs.

use crate::model::{Describe, Model};
use crate::prelude::*;
use crate::solver::Statistics;

/// What the integrator of a co-simulation has done since its initialization: the part `statistics` of a model with
/// `#[model(solver_statistics)]`. In Model Exchange they stay 0.
#[model]
#[non_exhaustive]
pub struct SolverStatistics {
    /// Steps of the integrator
    #[discrete(start = 0)]
    pub steps: i32,
    /// Evaluations of the derivatives by the integrator
    #[discrete(start = 0)]
    pub evaluations: i32,
}

#[equations]
impl Model for SolverStatistics {}

/// Writes the statistics to a model that asks for them. Its equations do not read them, so nothing becomes stale.
pub(crate) fn write_statistics<M: Model>(statistics: &Statistics, model: &mut M) {
    let about = <M as Describe>::about();
    if about.solver_statistics {
        // `solver.method` and `solver.max_internal_steps` are integers, too.
        let behind = if about.solver_parameters { 2 } else { 0 };
        let first = M::COUNTS.integers - behind - 2;
        let count = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
        model.set_integer(first, count(statistics.steps));
        model.set_integer(first + 1, count(statistics.evaluations));
    }
}
