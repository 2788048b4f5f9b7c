//! `TypeDefinitions`, and the attributes that types and variables share.

use crate::description::*;
use crate::xml::common::{enumeration_item, integer_attribute, real_attribute};
use crate::xml::{Element, ReadError, Source, Value};

/// The type of an element by its name, such as `Float64` or, with the suffix of types, `Float64Type`.
pub(super) enum Named {
    Float(FloatType),
    Integer(IntegerType),
    Boolean,
    String,
    Binary,
    Enumeration,
    Clock,
}

impl Named {
    pub fn of(name: &str) -> Option<Self> {
        let float = FloatType::from_word(name).map(Self::Float);
        let known = float.or_else(|| IntegerType::from_word(name).map(Self::Integer));
        known.or(match name {
            "Boolean" => Some(Self::Boolean),
            "String" => Some(Self::String),
            "Binary" => Some(Self::Binary),
            "Enumeration" => Some(Self::Enumeration),
            "Clock" => Some(Self::Clock),
            _ => None,
        })
    }
}

/// A type definition; `None` for other elements.
pub(super) fn type_definition(
    source: &mut Source,
    element: &Element,
) -> Result<Option<SimpleType>, ReadError> {
    let Some(named) = element.name().strip_suffix("Type").and_then(Named::of) else {
        source.skip(element)?;
        return Ok(None);
    };
    let (mut name, mut description) = (None, None);
    let mut real = RealAttributes::default();
    let mut integer = IntegerAttributes::default();
    let mut clock = Clock::default();
    let (mut mime_type, mut max_size) = (None, None);
    match named {
        Named::Float(float) => real.float = float,
        Named::Integer(kind) => integer.integer = kind,
        Named::Enumeration => integer.integer = IntegerType::Int64,
        _ => {}
    }
    source.attributes(element, |attribute, value| {
        match (attribute, &named) {
            ("name", _) => name = Some(value.string()?),
            ("description", _) => description = Some(value.string()?),
            (_, Named::Float(_)) => real_attribute(&mut real, attribute, value)?,
            (_, Named::Integer(_) | Named::Enumeration) => integer_attribute(&mut integer, attribute, value)?,
            (_, Named::Clock) => clock.attribute(attribute, value)?,
            ("mimeType", Named::Binary) => mime_type = Some(value.string()?),
            ("maxSize", Named::Binary) => max_size = Some(value.whole()?),
            _ => {}
        }
        Ok(())
    })?;
    let kind = match named {
        Named::Float(_) => TypeKind::Real(real),
        Named::Integer(_) => TypeKind::Integer(integer),
        Named::Boolean => TypeKind::Boolean,
        Named::String => TypeKind::String,
        Named::Binary => TypeKind::Binary { mime_type, max_size },
        Named::Clock => TypeKind::Clock(clock.finish(source, element)?),
        Named::Enumeration => {
            let bound = |bound: Option<i128>| bound.and_then(|bound| i64::try_from(bound).ok());
            TypeKind::Enumeration {
                quantity: integer.quantity,
                min: bound(integer.min),
                max: bound(integer.max),
                items: source.list(element, "Item", enumeration_item::<i64>)?,
            }
        }
    };
    if !matches!(kind, TypeKind::Enumeration { .. }) {
        source.skip(element)?;
    }
    Ok(Some(SimpleType {
        name: name.ok_or_else(|| source.missing_attribute(element, "name"))?,
        description,
        kind,
    }))
}

/// The attributes of a clock so far.
#[derive(Default)]
pub(super) struct Clock {
    attributes: ClockAttributes,
    has_interval_variability: bool,
}

impl Clock {
    pub fn attribute(&mut self, name: &str, value: &Value) -> Result<(), ReadError> {
        let a = &mut self.attributes;
        match name {
            "canBeDeactivated" => a.can_be_deactivated = Some(value.flag()?),
            "priority" => a.priority = Some(value.whole()?),
            "intervalVariability" => {
                let all = IntervalVariability::ALL;
                a.interval_variability = value.word(IntervalVariability::from_word, all)?;
                self.has_interval_variability = true;
            }
            "intervalDecimal" => a.interval_decimal = Some(value.real()?),
            "shiftDecimal" => a.shift_decimal = Some(value.real()?),
            "supportsFraction" => a.supports_fraction = Some(value.flag()?),
            "resolution" => a.resolution = Some(value.whole()?),
            "intervalCounter" => a.interval_counter = Some(value.whole()?),
            "shiftCounter" => a.shift_counter = Some(value.whole()?),
            _ => {}
        }
        Ok(())
    }

    pub fn finish(self, source: &Source, element: &Element) -> Result<ClockAttributes, ReadError> {
        match self.has_interval_variability {
            true => Ok(self.attributes),
            false => Err(source.missing_attribute(element, "intervalVariability")),
        }
    }
}
