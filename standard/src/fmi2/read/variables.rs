//! `ScalarVariable` and the attributes of its types.

use super::annotations;
use crate::description::*;
use crate::xml::common::{integer_attribute, real_attribute};
use crate::xml::{Element, ReadError, ReadProblem, Source};

pub(super) fn scalar_variable(source: &mut Source, element: &Element) -> Result<ModelVariable, ReadError> {
    let (mut name, mut value_reference, mut description) = (None, None, None);
    let (mut causality, mut variability) = (Causality::default(), Variability::default());
    let (mut initial, mut can_handle_multiple_set_per_time_instant) = (None, None);
    source.attributes(element, |attribute, value| {
        match attribute {
            "name" => name = Some(value.string()?),
            "valueReference" => value_reference = Some(value.whole()?),
            "description" => description = Some(value.string()?),
            "causality" => causality = value.word(causality_of_fmi2, CAUSALITIES)?,
            "variability" => variability = value.word(Variability::from_word, Variability::ALL)?,
            "initial" => initial = Some(value.word(Initial::from_word, Initial::ALL)?),
            "canHandleMultipleSetPerTimeInstant" => {
                can_handle_multiple_set_per_time_instant = Some(value.flag()?)
            }
            _ => {}
        }
        Ok(())
    })?;
    let name = name.ok_or_else(|| source.missing_attribute(element, "name"))?;
    let value_reference =
        value_reference.ok_or_else(|| source.missing_attribute(element, "valueReference"))?;

    let (mut kind, mut its_annotations) = (None, Vec::new());
    while let Some(child) = source.child(element)? {
        if child.name() == "Annotations" {
            its_annotations = annotations(source, &child)?;
            continue;
        }
        if let Some(read) = variable_kind(source, &child)?
            && kind.replace(read).is_some()
        {
            let (element, parent) = (child.name().into(), format!("ScalarVariable {name}"));
            return Err(source.error_in(&child, ReadProblem::RepeatedElement { element, parent }));
        }
        source.skip(&child)?;
    }
    let kind = kind.ok_or_else(|| {
        let parent = format!("ScalarVariable {name}");
        let expected = "one of the elements `Real`, `Integer`, `Boolean`, `String`, `Enumeration`";
        source.error_in(element, ReadProblem::MissingElement { parent, expected })
    })?;
    Ok(ModelVariable {
        name,
        value_reference,
        description,
        causality,
        variability,
        initial,
        can_handle_multiple_set_per_time_instant,
        kind,
        annotations: its_annotations,
        ..Default::default()
    })
}

/// The causalities of FMI 2.0.
const CAUSALITIES: &[Causality] = &[
    Causality::Parameter,
    Causality::CalculatedParameter,
    Causality::Input,
    Causality::Output,
    Causality::Local,
    Causality::Independent,
];

fn causality_of_fmi2(word: &str) -> Option<Causality> {
    Causality::from_word(word).filter(|causality| CAUSALITIES.contains(causality))
}

/// The type element; `None` if it is something else.
fn variable_kind(source: &Source, element: &Element) -> Result<Option<VariableKind>, ReadError> {
    let mut declared_type = None;
    Ok(Some(match element.name() {
        "Real" => {
            let mut attributes = RealAttributes::default();
            let (mut start, mut derivative, mut reinit) = (Start::None, None, false);
            source.attributes(element, |name, value| {
                match name {
                    "declaredType" => declared_type = Some(value.string()?),
                    "start" => start = Start::One(value.real()?),
                    "derivative" => derivative = Some(Reference::Missing(value.whole()?)),
                    "reinit" => reinit = value.flag()?,
                    _ => real_attribute(&mut attributes, name, value)?,
                }
                Ok(())
            })?;
            VariableKind::Real {
                declared_type,
                attributes,
                start,
                derivative,
                reinit,
            }
        }
        "Integer" | "Enumeration" => {
            let mut attributes = IntegerAttributes::default();
            let mut start = Start::None;
            source.attributes(element, |name, value| {
                match name {
                    "declaredType" => declared_type = Some(value.string()?),
                    "start" => start = Start::One(value.whole::<i32>()?.into()),
                    _ => integer_attribute(&mut attributes, name, value)?,
                }
                Ok(())
            })?;
            if element.name() == "Integer" {
                VariableKind::Integer {
                    declared_type,
                    attributes,
                    start,
                }
            } else {
                let declared_type =
                    declared_type.ok_or_else(|| source.missing_attribute(element, "declaredType"))?;
                VariableKind::Enumeration {
                    declared_type,
                    attributes,
                    start,
                }
            }
        }
        "Boolean" => {
            let mut start = Start::None;
            source.attributes(element, |name, value| {
                match name {
                    "declaredType" => declared_type = Some(value.string()?),
                    "start" => start = Start::One(value.flag()?),
                    _ => {}
                }
                Ok(())
            })?;
            VariableKind::Boolean { declared_type, start }
        }
        "String" => {
            let mut start = Start::None;
            source.attributes(element, |name, value| {
                match name {
                    "declaredType" => declared_type = Some(value.string()?),
                    "start" => start = Start::One(value.string()?),
                    _ => {}
                }
                Ok(())
            })?;
            VariableKind::String { declared_type, start }
        }
        _ => return Ok(None),
    }))
}
