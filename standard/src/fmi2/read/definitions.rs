//! `TypeDefinitions`.

use crate::description::*;
use crate::xml::common::{enumeration_item, integer_attribute, real_attribute};
use crate::xml::{Element, ReadError, ReadProblem, Source};

pub(super) fn simple_type(source: &mut Source, element: &Element) -> Result<SimpleType, ReadError> {
    let (mut name, mut description, mut kind) = (None, None, None);
    source.attributes(element, |attribute, value| {
        match attribute {
            "name" => name = Some(value.string()?),
            "description" => description = Some(value.string()?),
            _ => {}
        }
        Ok(())
    })?;
    let name = name.ok_or_else(|| source.missing_attribute(element, "name"))?;
    while let Some(child) = source.child(element)? {
        let read = match child.name() {
            "Real" => {
                let mut attributes = RealAttributes::default();
                source.attributes(&child, |name, value| real_attribute(&mut attributes, name, value))?;
                TypeKind::Real(attributes)
            }
            "Integer" => {
                let mut attributes = IntegerAttributes::default();
                source.attributes(&child, |name, value| {
                    integer_attribute(&mut attributes, name, value)
                })?;
                TypeKind::Integer(attributes)
            }
            "Boolean" => TypeKind::Boolean,
            "String" => TypeKind::String,
            "Enumeration" => {
                kind = Some(enumeration(source, &child)?);
                continue;
            }
            _ => {
                source.skip(&child)?;
                continue;
            }
        };
        source.skip(&child)?;
        kind = Some(read);
    }
    let expected = "one of the elements `Real`, `Integer`, `Boolean`, `String`, `Enumeration`";
    let kind = kind.ok_or_else(|| {
        let parent = format!("SimpleType {name}");
        source.error_in(element, ReadProblem::MissingElement { parent, expected })
    })?;
    Ok(SimpleType {
        name,
        description,
        kind,
    })
}

fn enumeration(source: &mut Source, element: &Element) -> Result<TypeKind, ReadError> {
    let mut quantity = None;
    source.attributes(element, |name, value| {
        if name == "quantity" {
            quantity = Some(value.string()?);
        }
        Ok(())
    })?;
    let items = source.list(element, "Item", enumeration_item::<i32>)?;
    Ok(TypeKind::Enumeration {
        quantity,
        min: None,
        max: None,
        items,
    })
}
