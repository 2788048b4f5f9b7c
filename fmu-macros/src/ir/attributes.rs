//! The attributes that describe a value (unit, range, nominal), of a variable or of a type definition.

use super::about::TypeDefinition;
use super::literals::{self, match_literal};
use super::types::Base;
use crate::errors::Errors;
use crate::parse::options::{self, OptionItem};
use proc_macro2::Span;
use syn::Expr;

/// Names of the options that are read here.
pub const KEYS: &[&str] = &[
    "unit",
    "display_unit",
    "quantity",
    "min",
    "max",
    "nominal",
    "unbounded",
    "relative_quantity",
];

/// Unit, range and so on.
#[derive(Default, Clone)]
pub struct Attributes {
    pub unit: Option<String>,
    pub display_unit: Option<String>,
    pub quantity: Option<String>,
    pub min: Option<Expr>,
    pub max: Option<Expr>,
    pub nominal: Option<Expr>,
    pub unbounded: Option<bool>,
    pub relative_quantity: Option<bool>,
}

/// Reads the options of [`KEYS`] and checks them for a value of type `base`. Missing ones come from the declared
/// type, if there is one.
pub fn resolve(
    items: &[OptionItem],
    base: Base,
    of_type: Option<&TypeDefinition>,
    errors: &mut Errors,
) -> Attributes {
    let mut attributes = Attributes::default();
    // The unit that a display unit is compared with; an unknown one leaves nothing to compare.
    let mut unit = of_type
        .and_then(|definition| definition.attributes.unit.clone())
        .map(Ok::<String, ()>);
    let mut display = None;
    for item in items {
        let name = item.name();
        if !KEYS.contains(&name.as_str()) || refused(&name, base, item.span(), errors) {
            continue;
        }
        match name.as_str() {
            "unit" => {
                unit = item
                    .text("m/s2", errors)
                    .map(|(text, span)| match fmu_standard::units::parse(&text) {
                        Ok(_) => Ok(text),
                        Err(error) => {
                            errors.at(span, error);
                            Err(())
                        }
                    })
                    .or(Some(Err(())));
                attributes.unit = unit.clone().and_then(Result::ok);
            }
            "display_unit" => display = item.text("degC", errors),
            "quantity" => attributes.quantity = item.text("Pressure", errors).map(|(text, _)| text),
            "min" => attributes.min = bound(item, base, errors),
            "max" => attributes.max = bound(item, base, errors),
            "nominal" => attributes.nominal = nominal(item, errors),
            "unbounded" => attributes.unbounded = Some(item.flag(errors)),
            _ => attributes.relative_quantity = Some(item.flag(errors)),
        }
    }
    if let Some((text, span)) = display {
        attributes.display_unit = display_unit(text, span, unit, errors);
    }
    check_range(&attributes, errors);
    if let Some(definition) = of_type {
        inherit(&mut attributes, definition, errors);
    }
    attributes
}

/// Units and nominal values are for f64, ranges for numbers.
fn refused(name: &str, base: Base, span: Span, errors: &mut Errors) -> bool {
    let what = match name {
        "quantity" => return false,
        "min" | "max" if matches!(base, Base::Real | Base::Integer) => return false,
        "min" | "max" => "numbers",
        _ if base == Base::Real => return false,
        _ => "an f64",
    };
    errors.at(
        span,
        format!("`{name}` is for {what}, this is {}: remove it", base.described()),
    );
    true
}

fn display_unit(
    text: String,
    span: Span,
    unit: Option<Result<String, ()>>,
    errors: &mut Errors,
) -> Option<String> {
    match unit {
        Some(Ok(unit)) => match fmu_standard::units::display_unit(&unit, &text) {
            Ok(_) => return Some(text),
            Err(error) => errors.at(span, error),
        },
        Some(Err(())) => {}
        None => errors.at(
            span,
            "a display unit is another way to show the unit: write `unit = \"...\"` too",
        ),
    }
    None
}

fn nominal(item: &OptionItem, errors: &mut Errors) -> Option<Expr> {
    let expression = bound(item, Base::Real, errors)?;
    if options::number(&expression).is_some_and(|value| value <= 0.0) {
        errors.on(
            expression,
            "a nominal value is a typical magnitude: write a number greater than 0",
        );
        return None;
    }
    Some(expression)
}

/// A bound: a literal of the right type, or an expression that rustc checks.
fn bound(item: &OptionItem, base: Base, errors: &mut Errors) -> Option<Expr> {
    let example = if base == Base::Integer { "0" } else { "0.0" };
    let expression = item.expression(example, errors)?;
    match_literal(&expression, base, &item.name(), errors).then_some(expression)
}

fn check_range(attributes: &Attributes, errors: &mut Errors) {
    if let (Some(min), Some(max)) = (&attributes.min, &attributes.max)
        && let (Some(low), Some(high)) = (options::number(min), options::number(max))
        && low > high
    {
        errors.on(
            max,
            format!("`max` = {high} is smaller than `min` = {low}: swap or correct them"),
        );
    }
}

/// The attributes of a variable must fit its declared type; missing ones come from there.
fn inherit(attributes: &mut Attributes, definition: &TypeDefinition, errors: &mut Errors) {
    let of_type = &definition.attributes;
    let number = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
    let (low, high) = (number(&of_type.min), number(&of_type.max));
    for (key, bound) in [("min", &attributes.min), ("max", &attributes.max)] {
        let Some(value) = number(bound) else { continue };
        if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
            errors.on(
                bound,
                format!(
                    "`{key}` goes beyond the type `{}`, whose values are {}: stay inside, or widen the type",
                    definition.name,
                    literals::range(low, high)
                ),
            );
        }
    }
    let Attributes {
        unit,
        display_unit,
        min,
        max,
        nominal,
        ..
    } = of_type.clone();
    let inherits_unit = attributes.unit.is_none();
    attributes.min = attributes.min.take().or(min);
    attributes.max = attributes.max.take().or(max);
    attributes.nominal = attributes.nominal.take().or(nominal);
    if inherits_unit {
        attributes.unit = unit;
        attributes.display_unit = attributes.display_unit.take().or(display_unit);
    }
}

/// Start value against the range, where both are literals.
pub fn check_start(start: &Expr, attributes: &Attributes, errors: &mut Errors) {
    let number = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
    let (min, max) = (number(&attributes.min), number(&attributes.max));
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return;
    }
    for element in literals::elements(start) {
        let Some(value) = options::number(element) else {
            continue;
        };
        if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
            errors.on(
                element,
                format!(
                    "the start value must be {}: change it, or the range",
                    literals::range(min, max)
                ),
            );
            return;
        }
    }
}
