//! Parameters and start values.

use fmu_importer::{BaseType, Fmu, Value};

use super::super::units::{Measure, conversion};
use super::super::{Assignment, SystemError};
use super::{Given, Workshop};

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
                    unit: assignment.unit.clone().or(alias.unit.clone()),
                    ..assignment.clone()
                };
                self.set(&alias.variable, &given)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, assignment: &Assignment) -> Result<(), SystemError> {
        let place = &assignment.place;
        let (component, position) = self.find(name, place)?;
        let fmu = &self.opened[component].fmu;
        if let Some(reason) = fmu.immutable(position) {
            return Err(SystemError::wrong(
                place,
                format!("{name} cannot be set: {reason}"),
            ));
        }
        let mut value = parse(fmu, position, &assignment.value)
            .map_err(|problem| SystemError::wrong(place, format!("{name} {problem}")))?;
        if let Value::Real(number) = &mut value {
            let from = Measure {
                unit: assignment.unit.clone(),
                relative: false,
            };
            let (factor, shift) = match conversion(&from, &Measure::of(fmu, position)) {
                Ok(converted) => converted,
                Err(problem) if self.strict_units => {
                    return Err(SystemError::wrong(place, format!("{name}: {problem}")));
                }
                Err(problem) => {
                    let problem =
                        format!("{name}: {problem}; the value {number} is taken as it is (--strict-units)");
                    let warning = SystemError::wrong(place, problem);
                    self.warnings.push(warning.to_string());
                    (1.0, 0.0)
                }
            };
            *number = assignment.gain * (factor * *number + shift) + assignment.offset;
            if !number.is_finite() {
                let problem = format!(
                    "{name} would be {number} with the value '{}', and must be a finite number",
                    assignment.value
                );
                return Err(SystemError::wrong(place, problem));
            }
        } else if (assignment.gain, assignment.offset) != (1.0, 0.0) {
            let problem = format!("{name} is not a Real variable, and cannot have a factor or an offset");
            return Err(SystemError::wrong(place, problem));
        }
        self.opened[component].values.push(Given {
            position,
            value,
            place: place.clone(),
        });
        Ok(())
    }
}

/// A value that is written as one of another type, if nothing is lost: `true` for a number, `3.0` for an Integer.
fn converted(base_type: BaseType, text: &str) -> Option<Value> {
    let truth = Value::parse(BaseType::Boolean, text).filter(|_| text.trim().parse::<f64>().is_err());
    let whole = |number: &f64| number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    match (base_type, truth) {
        (BaseType::Real, Some(Value::Boolean(truth))) => Some(Value::Real(f64::from(u8::from(truth)))),
        (BaseType::Integer, Some(Value::Boolean(truth))) => Some(Value::Integer(truth.into())),
        (BaseType::Integer, None) => text
            .trim()
            .parse()
            .ok()
            .filter(whole)
            .map(|number: f64| Value::Integer(number as i32)),
        _ => None,
    }
}

/// Reads the value of a variable; items of enumerations may go by their names.
pub(super) fn parse(fmu: &Fmu, position: usize, text: &str) -> Result<Value, String> {
    let kind = &fmu.description().model_variables[position].kind;
    if let Some(value) =
        Value::parse(BaseType::of(kind), text).or_else(|| converted(BaseType::of(kind), text))
    {
        return Ok(value);
    }
    let items = fmu.items(position);
    if items.is_empty() {
        return Err(format!("is {}, and '{text}' is none", super::kind(kind)));
    }
    match items.iter().find(|item| item.name == text) {
        Some(item) => match i32::try_from(item.value) {
            Ok(value) => Ok(Value::Integer(value)),
            Err(_) => Err(format!("{} does not fit into an Integer", item.value)),
        },
        None => {
            let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
            Err(format!("is one of {}, and not '{text}'", names.join(", ")))
        }
    }
}
