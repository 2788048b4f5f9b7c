//! `ModelVariables`.

use super::annotations;
use super::types::{Clock, Named};
use crate::description::*;
use crate::fmi3::default_variability;
use crate::xml::common::{integer_attribute, real_attribute, required_string};
use crate::xml::{Element, ReadError, ReadProblem, Source, Value};

/// A variable; `None` for other elements.
pub(super) fn variable(source: &mut Source, element: &Element) -> Result<Option<ModelVariable>, ReadError> {
    let Some(named) = Named::of(element.name()) else {
        source.skip(element)?;
        return Ok(None);
    };
    let mut v = ModelVariable::default();
    let (mut name, mut value_reference, mut variability) = (None, None, None);
    let mut own = Own::new(&named);
    source.attributes(element, |attribute, value| {
        match attribute {
            "name" => name = Some(value.string()?),
            "valueReference" => value_reference = Some(value.whole()?),
            "description" => v.description = Some(value.string()?),
            "causality" => v.causality = value.word(Causality::from_word, Causality::ALL)?,
            "variability" => variability = Some(value.word(Variability::from_word, Variability::ALL)?),
            "initial" => v.initial = Some(value.word(Initial::from_word, Initial::ALL)?),
            "canHandleMultipleSetPerTimeInstant" => {
                v.can_handle_multiple_set_per_time_instant = Some(value.flag()?);
            }
            "clocks" => v.clocks = value.references()?,
            "previous" => v.previous = Some(Reference::Missing(value.whole()?)),
            "intermediateUpdate" => v.intermediate_update = value.flag()?,
            _ => own.attribute(&named, attribute, value)?,
        }
        Ok(())
    })?;
    v.name = name.ok_or_else(|| source.missing_attribute(element, "name"))?;
    v.value_reference = value_reference.ok_or_else(|| source.missing_attribute(element, "valueReference"))?;

    let mut texts = Vec::new();
    while let Some(child) = source.child(element)? {
        match child.name() {
            "Annotations" => {
                v.annotations = annotations(source, &child)?;
                continue;
            }
            "Dimension" => v.dimensions.push(dimension(source, &child)?),
            "Start" => match named {
                Named::Binary => own.binary.push(binary(source, &child)?),
                _ => texts.push(required_string(source, &child, "value")?),
            },
            "Alias" => v.aliases.push(alias(source, &child)?),
            _ => {}
        }
        source.skip(&child)?;
    }
    v.kind = own.finish(source, element, &named, texts)?;
    v.variability = variability.unwrap_or_else(|| default_variability(v.causality, &v.kind));
    Ok(Some(v))
}

/// The attributes that depend on the type.
struct Own {
    declared_type: Option<String>,
    real: RealAttributes,
    integer: IntegerAttributes,
    clock: Clock,
    reals: Start<f64>,
    integers: Start<i128>,
    booleans: Start<bool>,
    binary: Vec<Vec<u8>>,
    derivative: Option<Reference>,
    reinit: bool,
    mime_type: Option<String>,
    max_size: Option<u64>,
}

impl Own {
    fn new(named: &Named) -> Self {
        let mut own = Self {
            declared_type: None,
            real: RealAttributes::default(),
            integer: IntegerAttributes::default(),
            clock: Clock::default(),
            reals: Start::None,
            integers: Start::None,
            booleans: Start::None,
            binary: Vec::new(),
            derivative: None,
            reinit: false,
            mime_type: None,
            max_size: None,
        };
        match named {
            Named::Float(float) => own.real.float = *float,
            Named::Integer(integer) => own.integer.integer = *integer,
            Named::Enumeration => own.integer.integer = IntegerType::Int64,
            _ => {}
        }
        own
    }

    fn attribute(&mut self, named: &Named, name: &str, value: &Value) -> Result<(), ReadError> {
        match (name, named) {
            ("declaredType", _) => self.declared_type = Some(value.string()?),
            ("start", Named::Float(float)) => self.reals = value.floats(*float)?,
            ("derivative", Named::Float(_)) => self.derivative = Some(Reference::Missing(value.whole()?)),
            ("reinit", Named::Float(_)) => self.reinit = value.flag()?,
            (_, Named::Float(_)) => real_attribute(&mut self.real, name, value)?,
            ("start", Named::Integer(_) | Named::Enumeration) => {
                self.integers = value.integers(self.integer.integer)?;
            }
            (_, Named::Integer(_) | Named::Enumeration) => integer_attribute(&mut self.integer, name, value)?,
            ("start", Named::Boolean) => self.booleans = value.flags()?,
            ("mimeType", Named::Binary) => self.mime_type = Some(value.string()?),
            ("maxSize", Named::Binary) => self.max_size = Some(value.whole()?),
            (_, Named::Clock) => self.clock.attribute(name, value)?,
            _ => {}
        }
        Ok(())
    }

    fn finish(
        self,
        source: &Source,
        element: &Element,
        named: &Named,
        texts: Vec<String>,
    ) -> Result<VariableKind, ReadError> {
        let declared_type = self.declared_type;
        Ok(match named {
            Named::Float(_) => VariableKind::Real {
                declared_type,
                attributes: self.real,
                start: self.reals,
                derivative: self.derivative,
                reinit: self.reinit,
            },
            Named::Integer(_) => VariableKind::Integer {
                declared_type,
                attributes: self.integer,
                start: self.integers,
            },
            Named::Boolean => VariableKind::Boolean {
                declared_type,
                start: self.booleans,
            },
            Named::String => VariableKind::String {
                declared_type,
                start: elements(texts),
            },
            Named::Binary => VariableKind::Binary {
                declared_type,
                mime_type: self.mime_type,
                max_size: self.max_size,
                start: elements(self.binary),
            },
            Named::Enumeration => VariableKind::Enumeration {
                declared_type: declared_type
                    .ok_or_else(|| source.missing_attribute(element, "declaredType"))?,
                attributes: IntegerAttributes {
                    integer: IntegerType::default(),
                    ..self.integer
                },
                start: self.integers,
            },
            Named::Clock => VariableKind::Clock {
                declared_type,
                attributes: self.clock.finish(source, element)?,
            },
        })
    }
}

/// Start values from elements: no element, no start value.
fn elements<T>(values: Vec<T>) -> Start<T> {
    match values.is_empty() {
        true => Start::None,
        false => Start::from(values),
    }
}

fn dimension(source: &Source, element: &Element) -> Result<Dimension, ReadError> {
    let (mut size, mut parameter) = (None, None);
    source.attributes(element, |name, value| {
        match name {
            "start" => size = Some(value.whole()?),
            "valueReference" => parameter = Some(Reference::Missing(value.whole()?)),
            _ => {}
        }
        Ok(())
    })?;
    // The standard forbids both together; the reference counts then.
    match (size, parameter) {
        (_, Some(parameter)) => Ok(Dimension::Parameter(parameter)),
        (Some(size), None) => Ok(Dimension::Fixed(size)),
        (None, None) => {
            let problem = ReadProblem::MissingElement {
                parent: "Dimension".into(),
                expected: "one of the attributes `start`, `valueReference`",
            };
            Err(source.error_in(element, problem))
        }
    }
}

fn alias(source: &Source, element: &Element) -> Result<Alias, ReadError> {
    let mut alias = Alias {
        name: required_string(source, element, "name")?,
        ..Default::default()
    };
    source.attributes(element, |name, value| {
        match name {
            "description" => alias.description = Some(value.string()?),
            "displayUnit" => alias.display_unit = Some(value.string()?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(alias)
}

fn binary(source: &Source, element: &Element) -> Result<Vec<u8>, ReadError> {
    let mut bytes = None;
    source.attributes(element, |name, value| {
        if name == "value" {
            bytes = Some(value.bytes()?);
        }
        Ok(())
    })?;
    bytes.ok_or_else(|| source.missing_attribute(element, "value"))
}
