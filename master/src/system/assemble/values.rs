//! Parameters and start values.

use fmi::description::{Causality, TypeKind, Variability, VariableKind};
use importer::{BaseType, Fmu, Value};

use super::super::units::{Measure, conversion};
use super::super::{Assignment, SystemError};
use super::{Given, Variable, Workshop};

impl Workshop<'_> {
    /// Checks all values of the system, for the instances to come.
    pub(super) fn set_values(&mut self) -> Result<(), SystemError> {
        let system = self.system;
        for (number, component) in system.components.iter().enumerate() {
            for assignment in &component.values {
                let known = self.opened[number].fmu.variables().position(&assignment.variable);
                if assignment.optional && known.is_none() {
                    continue;
                }
                let name = format!("{}.{}", component.name, assignment.variable);
                self.set(&name, assignment)?;
            }
        }
        for assignment in &system.values {
            let mut aliases = self.aliases(&assignment.variable).peekable();
            if aliases.peek().is_none() {
                self.set(&assignment.variable, assignment)?;
            }
            for alias in aliases {
                let given = Assignment {
                    gain: alias.gain * assignment.gain,
                    offset: alias.gain * assignment.offset + alias.offset,
                    ..assignment.clone()
                };
                self.set(&alias.variable, &given)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, assignment: &Assignment) -> Result<(), SystemError> {
        let place = &assignment.place;
        let found @ (component, position) = self.find(name, place)?;
        if let Some(reason) = self.immutable(found) {
            return Err(SystemError::wrong(
                place,
                format!("{name} cannot be set: {reason}"),
            ));
        }
        let fmu = &self.opened[component].fmu;
        let mut value = parse(fmu, position, &assignment.value)
            .map_err(|problem| SystemError::wrong(place, format!("{name} {problem}")))?;
        if let Value::Real(number) = &mut value {
            let from = Measure {
                unit: assignment.unit.clone(),
                relative: false,
            };
            let (factor, shift) = conversion(&from, &Measure::of(fmu, position))
                .map_err(|problem| SystemError::wrong(place, format!("{name}: {problem}")))?;
            *number = assignment.gain * (factor * *number + shift) + assignment.offset;
        } else if (assignment.gain, assignment.offset) != (1.0, 0.0) {
            let problem = format!("{name} is no Real variable, and cannot have a factor or an offset");
            return Err(SystemError::wrong(place, problem));
        }
        self.opened[component].values.push(Given {
            position,
            value,
            place: place.clone(),
        });
        Ok(())
    }

    /// Why a variable cannot be set before initialization; none if it can.
    fn immutable(&self, variable: Variable) -> Option<&'static str> {
        let variable = self.variable(variable);
        let has_start = match &variable.kind {
            VariableKind::Real { start, .. } => start.is_some(),
            VariableKind::Integer { start, .. } | VariableKind::Enumeration { start, .. } => start.is_some(),
            VariableKind::Boolean { start, .. } => start.is_some(),
            VariableKind::String { start, .. } => start.is_some(),
        };
        match variable.causality {
            _ if variable.variability == Variability::Constant => Some("it is a constant"),
            Causality::Independent => Some("it is the time"),
            Causality::Parameter | Causality::Input => None,
            _ if has_start => None,
            _ => Some("the FMU computes it"),
        }
    }
}

/// Reads the value of a variable; items of enumerations may go by their names.
fn parse(fmu: &Fmu, position: usize, text: &str) -> Result<Value, String> {
    let description = fmu.description();
    let kind = &description.model_variables[position].kind;
    let base_type = BaseType::of(kind);
    if let Some(value) = Value::parse(base_type, text) {
        return Ok(value);
    }
    let VariableKind::Enumeration { declared_type, .. } = kind else {
        return Err(format!("is {}, and '{text}' is none", super::kind(kind)));
    };
    let items = description.type_definitions.iter().find_map(|definition| {
        match (&definition.kind, definition.name == *declared_type) {
            (TypeKind::Enumeration { items, .. }, true) => Some(items.as_slice()),
            _ => None,
        }
    });
    let items = items.unwrap_or_default();
    match items.iter().find(|item| item.name == text) {
        Some(item) => Ok(Value::Integer(item.value)),
        None => {
            let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
            Err(format!("is one of {}, and not '{text}'", names.join(", ")))
        }
    }
}
