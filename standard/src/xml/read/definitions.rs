//! `UnitDefinitions` and `TypeDefinitions`.

use super::source::{Element, Source};
use super::variables::{integer_attribute, real_attribute};
use super::{ReadError, ReadProblem, required_string};
use crate::description::*;

pub(super) fn unit(source: &mut Source, element: &Element) -> Result<Unit, ReadError> {
    let mut unit = Unit {
        name: required_string(source, element, "name")?,
        ..Default::default()
    };
    while let Some(child) = source.child(element)? {
        match child.name() {
            "BaseUnit" => unit.base_unit = Some(base_unit(source, &child)?),
            "DisplayUnit" => unit.display_units.push(display_unit(source, &child)?),
            _ => {}
        }
        source.skip(&child)?;
    }
    Ok(unit)
}

fn base_unit(source: &Source, element: &Element) -> Result<BaseUnit, ReadError> {
    let mut base = BaseUnit {
        exponents: [0; 8],
        factor: 1.0,
        offset: 0.0,
    };
    source.attributes(element, |name, value| {
        match name {
            "factor" => base.factor = value.real()?,
            "offset" => base.offset = value.real()?,
            _ => {
                if let Some(position) = crate::units::BASE_SYMBOLS
                    .iter()
                    .position(|symbol| *symbol == name)
                {
                    base.exponents[position] = value.whole()?;
                }
            }
        }
        Ok(())
    })?;
    Ok(base)
}

fn display_unit(source: &Source, element: &Element) -> Result<DisplayUnit, ReadError> {
    let mut display = DisplayUnit {
        name: required_string(source, element, "name")?,
        factor: 1.0,
        offset: 0.0,
        inverse: false,
    };
    source.attributes(element, |name, value| {
        match name {
            "factor" => display.factor = value.real()?,
            "offset" => display.offset = value.real()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(display)
}

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
    let items = source.list(element, "Item", |source, item| {
        let (mut name, mut number, mut description) = (None, None, None);
        source.attributes(item, |attribute, value| {
            match attribute {
                "name" => name = Some(value.string()?),
                "value" => number = Some(value.whole::<i32>()?.into()),
                "description" => description = Some(value.string()?),
                _ => {}
            }
            Ok(())
        })?;
        source.skip(item)?;
        Ok(EnumerationItem {
            name: name.ok_or_else(|| source.missing_attribute(item, "name"))?,
            value: number.ok_or_else(|| source.missing_attribute(item, "value"))?,
            description,
        })
    })?;
    Ok(TypeKind::Enumeration {
        quantity,
        min: None,
        max: None,
        items,
    })
}
