//! Linearizes an FMU: A, B, C and D of dx/dt = A x + B u, y = C x + D u around a point.

use fmi::description::{Causality, Variability, VariableKind};

use crate::Fmu;

/// Positions of the inputs that a linearization is by.
pub(crate) fn continuous_inputs(fmu: &Fmu) -> Vec<usize> {
    let variables = fmu.description().model_variables.iter().enumerate();
    let continuous = variables.filter(|(_, variable)| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && matches!(variable.kind, VariableKind::Real { .. })
    });
    continuous.map(|(position, _)| position).collect()
}
