//! The columns of a table of inputs: which variables they are, and their values.

use fmu_standard::description::{Causality, Variability, VariableKind};

use super::SimulateError;
use crate::Fmu;

/// Refuses a name that has occurred before.
pub(super) fn once(named: &mut Vec<String>, name: &str) -> Result<(), SimulateError> {
    if named.iter().any(|other| other == name) {
        return Err(SimulateError::Input {
            place: format!("input {name}"),
            problem: "it is given twice".into(),
        });
    }
    named.push(name.into());
    Ok(())
}

/// Refuses a table without a column of times, whose first input would be taken for them.
pub(super) fn first_column_is_time(fmu: &Fmu, name: &str, place: &str) -> Result<(), SimulateError> {
    match fmu.variable(name) {
        Ok(variable) if variable.causality != Causality::Independent && name != "time" => {
            Err(SimulateError::Input {
                place: place.into(),
                problem: format!(
                    "the first column is the time, and {name} is a variable of {}: put a column `time` before it",
                    fmu.name()
                ),
            })
        }
        _ => Ok(()),
    }
}

/// Position and value reference of an input or a tunable parameter, and whether it is continuous.
pub(super) fn input(fmu: &Fmu, name: &str, place: &str) -> Result<(usize, u32, bool), SimulateError> {
    let wrong = |problem: String| SimulateError::Input {
        place: place.into(),
        problem,
    };
    let position = fmu.position(name).map_err(|error| {
        let bare = name.split(['[', '(']).next().unwrap_or_default().trim();
        match fmu.variable(bare) {
            Ok(_) => wrong(format!(
                "{error}; names stand without units, and values are in that of the FMU"
            )),
            Err(_) => wrong(error.to_string()),
        }
    })?;
    let variable = &fmu.description().model_variables[position];
    let tunable = variable.causality == Causality::Parameter && variable.variability == Variability::Tunable;
    if variable.causality != Causality::Input && !tunable {
        let remedy = match fmu.immutable(position) {
            Some(reason) => format!(", and cannot be set: {reason}"),
            None => {
                "; only inputs and tunable parameters change during a simulation: set it once before".into()
            }
        };
        return Err(wrong(format!("{name} of {} is not an input{remedy}", fmu.name())));
    }
    let continuous =
        variable.variability == Variability::Continuous && matches!(variable.kind, VariableKind::Real { .. });
    Ok((position, variable.value_reference, continuous))
}
