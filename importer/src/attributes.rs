//! Attributes of variables, with what their declared types add.

use fmu_results::table::Column;
use fmu_standard::description::{
    Causality, EnumerationItem, RealAttributes, TypeKind, Variability, VariableKind,
};

use crate::{BaseType, Fmu, Value};

impl Fmu {
    /// The column of a variable in a table of results, by its position in `model_variables`.
    pub fn column(&self, position: usize) -> Option<Column> {
        let variable = self.description().model_variables.get(position)?;
        let mut column = Column::new(&variable.name, BaseType::of(&variable.kind).into());
        column.unit = self
            .real_attributes(position)
            .and_then(|attributes| attributes.unit);
        column.discrete |= variable.variability != Variability::Continuous;
        Some(column)
    }

    /// Unit, range, nominal value and so on of a Real variable; its own come before those of its declared type.
    pub fn real_attributes(&self, position: usize) -> Option<RealAttributes> {
        let description = self.description();
        let VariableKind::Real {
            declared_type,
            attributes,
            ..
        } = &description.model_variables.get(position)?.kind
        else {
            return None;
        };
        let own = attributes.clone();
        let declared = declared_type.as_ref().and_then(|name| {
            let found = description
                .type_definitions
                .iter()
                .find(|simple| simple.name == *name)?;
            match &found.kind {
                TypeKind::Real(attributes) => Some(attributes),
                _ => None,
            }
        });
        Some(match declared {
            Some(declared) => own.or(declared),
            None => own,
        })
    }

    /// The items of an enumeration; empty for other variables.
    pub fn items(&self, position: usize) -> &[EnumerationItem] {
        let description = self.description();
        let variable = description.model_variables.get(position);
        let Some(VariableKind::Enumeration { declared_type, .. }) = variable.map(|variable| &variable.kind)
        else {
            return &[];
        };
        let items = description.type_definitions.iter().find_map(|definition| {
            match (&definition.kind, definition.name == *declared_type) {
                (TypeKind::Enumeration { items, .. }, true) => Some(items.as_slice()),
                _ => None,
            }
        });
        items.unwrap_or_default()
    }

    /// Reads a value of a variable from text, as [`Value::parse`] does and as tables of other tools write it: `1.0` may be
    /// an Integer, `True` a Boolean. Items of enumerations may go by their names, and a Real must be finite. The error is
    /// the end of a sentence: "`abc` is not of type Real".
    pub fn parse_value(&self, position: usize, text: &str) -> Result<Value, String> {
        let kind = &self.description().model_variables[position].kind;
        let base_type = BaseType::of(kind);
        let items = self.items(position);
        let item = items.iter().find(|item| item.name == text.trim());
        match (
            Value::parse(base_type, text).or_else(|| lenient(base_type, text)),
            item,
        ) {
            (Some(Value::Real(number)), _) if !number.is_finite() => {
                Err(format!("`{}` is not a finite number", text.trim()))
            }
            (Some(Value::Integer(number)), _)
                if !items.is_empty() && !items.iter().any(|item| item.value == i64::from(number)) =>
            {
                let all: Vec<String> = items
                    .iter()
                    .map(|item| format!("{} ({})", item.value, item.name))
                    .collect();
                Err(format!("`{}` is not one of {}", text.trim(), all.join(", ")))
            }
            (Some(value), _) => Ok(value),
            (None, Some(item)) => i32::try_from(item.value)
                .map(Value::Integer)
                .map_err(|_| format!("{} does not fit into an Integer", item.value)),
            (None, None) if base_type == BaseType::Boolean => Err(format!(
                "`{}` is not a Boolean (true, false, 1 or 0)",
                text.trim()
            )),
            (None, None) if items.is_empty() => Err(format!("`{}` is not of type {base_type}", text.trim())),
            (None, None) => {
                let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
                Err(format!(
                    "`{}` is not of type {base_type}, and not one of {}",
                    text.trim(),
                    names.join(", ")
                ))
            }
        }
    }

    /// Why a variable cannot be set before the simulation begins; `None` if it can be set.
    ///
    /// ```no_run
    /// let fmu = fmu_importer::Fmu::open("BouncingBall.fmu")?;
    /// let gravity = fmu.variables().position("g").expect("it falls");
    /// assert_eq!(fmu.immutable(gravity), None);
    /// # Ok::<(), fmu_importer::Error>(())
    /// ```
    pub fn immutable(&self, position: usize) -> Option<&'static str> {
        let variable = &self.description().model_variables[position];
        match variable.causality {
            _ if variable.variability == Variability::Constant => Some("it is a constant"),
            Causality::Independent => Some("it is the time"),
            Causality::Parameter | Causality::StructuralParameter | Causality::Input => None,
            _ if variable.kind.has_start() => None,
            Causality::Output => Some("it is an output, which the FMU computes"),
            _ => Some("the FMU computes it"),
        }
    }

    /// The bounds of a number; its own come before those of its declared type, and an enumeration has its items.
    pub fn range(&self, position: usize) -> (Option<f64>, Option<f64>) {
        let description = self.description();
        let named = |name: &str| {
            description
                .type_definitions
                .iter()
                .find(|simple| simple.name == name)
        };
        let number = |value: i128| value as f64;
        let integers = |min: Option<i128>, max: Option<i128>| (min.map(number), max.map(number));
        let kind = description
            .model_variables
            .get(position)
            .map(|variable| &variable.kind);
        match kind {
            Some(VariableKind::Real { .. }) => {
                let attributes = self.real_attributes(position).unwrap_or_default();
                (attributes.min, attributes.max)
            }
            Some(VariableKind::Integer {
                declared_type,
                attributes,
                ..
            }) => {
                let declared = match declared_type
                    .as_deref()
                    .and_then(named)
                    .map(|simple| &simple.kind)
                {
                    Some(TypeKind::Integer(declared)) => declared.clone(),
                    _ => Default::default(),
                };
                integers(attributes.min.or(declared.min), attributes.max.or(declared.max))
            }
            Some(VariableKind::Enumeration { attributes, .. }) => {
                let items = self.items(position);
                let values = || items.iter().map(|item| i128::from(item.value));
                integers(
                    attributes.min.or(values().min()),
                    attributes.max.or(values().max()),
                )
            }
            _ => (None, None),
        }
    }
}

/// A value as tables of other tools write it.
fn lenient(base_type: BaseType, text: &str) -> Option<Value> {
    let number = || text.trim().parse::<f64>().ok();
    match base_type {
        BaseType::Integer => number()
            .filter(|value| value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX))
            .map(|value| Value::Integer(value as i32)),
        BaseType::Boolean => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Boolean(true)),
            "false" => Some(Value::Boolean(false)),
            _ => number()
                .filter(|value| *value == 0.0 || *value == 1.0)
                .map(|value| Value::Boolean(value == 1.0)),
        },
        BaseType::Real | BaseType::String => None,
    }
}
