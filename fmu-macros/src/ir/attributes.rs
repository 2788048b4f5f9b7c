//! The attributes that describe a value (unit, range, nominal), of a variable or of a type definition.

use super::types::Base;
use crate::errors::Errors;
use crate::parse::options::{self, OptionItem};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

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

/// Reads the options of [`KEYS`] and judges them for a value of type `base`.
pub fn resolve(items: &[OptionItem], base: Base, errors: &mut Errors) -> Attributes {
    let mut attributes = Attributes::default();
    let mut unit_span = None;
    let mut display = None;
    for item in items {
        let name = item.name();
        if !KEYS.contains(&name.as_str()) {
            continue;
        }
        let of_reals = !matches!(name.as_str(), "min" | "max" | "quantity");
        if of_reals && base != Base::Real || matches!(name.as_str(), "min" | "max") && !ordered(base) {
            errors.at(
                item.span(),
                format!(
                    "`{name}` is for numbers (f64), this is {}: remove it",
                    base.rust()
                ),
            );
            continue;
        }
        match name.as_str() {
            "unit" => {
                if let Some((text, span)) = item.text("m/s2", errors) {
                    match fmi::units::parse(&text) {
                        Ok(_) => {
                            attributes.unit = Some(text);
                            unit_span = Some(span);
                        }
                        Err(error) => {
                            errors.at(span, error);
                            // An unknown unit leaves nothing to compare a display unit with.
                            display = None;
                            unit_span = Some(span);
                        }
                    }
                }
            }
            "display_unit" => display = item.text("degC", errors),
            "quantity" => attributes.quantity = item.text("Pressure", errors).map(|(text, _)| text),
            "min" => attributes.min = bound(item, base, errors),
            "max" => attributes.max = bound(item, base, errors),
            "nominal" => {
                attributes.nominal = bound(item, base, errors);
                if let Some(expression) = &attributes.nominal
                    && options::number(expression).is_some_and(|value| value <= 0.0)
                {
                    errors.on(
                        expression,
                        "a nominal value is a typical magnitude: it must be greater than 0",
                    );
                    attributes.nominal = None;
                }
            }
            "unbounded" => attributes.unbounded = Some(item.flag(errors)),
            _ => attributes.relative_quantity = Some(item.flag(errors)),
        }
    }
    if let Some((text, span)) = display {
        match (&attributes.unit, unit_span) {
            (Some(unit), _) => match fmi::units::display_unit(unit, &text) {
                Ok(_) => attributes.display_unit = Some(text),
                Err(error) => errors.at(span, error),
            },
            (None, None) => errors.at(
                span,
                "a display unit is another way to show the unit: write `unit = \"...\"` too",
            ),
            (None, Some(_)) => {}
        }
    }
    check_range(&mut attributes, errors);
    attributes
}

fn ordered(base: Base) -> bool {
    matches!(base, Base::Real | Base::Integer)
}

fn check_range(attributes: &mut Attributes, errors: &mut Errors) {
    if let (Some(min), Some(max)) = (&attributes.min, &attributes.max)
        && let (Some(low), Some(high)) = (options::number(min), options::number(max))
        && low > high
    {
        errors.on(
            max,
            format!("`max` is smaller than `min` ({high} < {low}): swap or correct them"),
        );
        attributes.min = None;
        attributes.max = None;
    }
}

/// A bound: a literal of the right type, or an expression that rustc checks.
fn bound(item: &OptionItem, base: Base, errors: &mut Errors) -> Option<Expr> {
    let expression = item.expression(if base == Base::Integer { "0" } else { "0.0" }, errors)?;
    match_literal(&expression, base, &item.name(), errors).then_some(expression)
}

/// Whether a literal (or array of literals) has the type of the field; expressions are rustc's to check.
pub fn match_literal(expression: &Expr, base: Base, key: &str, errors: &mut Errors) -> bool {
    let elements: Option<Vec<&Expr>> = match expression {
        Expr::Array(array) => Some(array.elems.iter().collect()),
        Expr::Repeat(repeat) => Some(vec![&*repeat.expr]),
        _ => None,
    };
    if let Some(elements) = elements {
        // One message for an array with the wrong kind of elements.
        return elements
            .into_iter()
            .all(|element| match_literal(element, base, key, errors));
    }
    let Some(literal) = options::literal(expression) else {
        return true;
    };
    let fits = match (literal, base) {
        (Lit::Float(literal), Base::Real) => {
            let finite = literal.base10_parse::<f64>().is_ok_and(f64::is_finite);
            if !finite {
                errors.on(
                    expression,
                    format!("`{key}` must be finite: this number is too large for an f64"),
                );
            }
            return finite;
        }
        (Lit::Int(literal), Base::Integer) => {
            if options::number(expression)
                .is_some_and(|value| value < f64::from(i32::MIN) || value > f64::from(i32::MAX))
            {
                errors.on(literal, format!("`{key}` does not fit an i32"));
                return false;
            }
            true
        }
        (Lit::Bool(_), Base::Boolean) | (Lit::Str(_), Base::String) => true,
        _ => false,
    };
    if !fits {
        errors.on(
            expression,
            format!(
                "`{key}` is {}, the variable is {}: {}",
                kind(literal),
                base.rust(),
                instead(literal, base)
            ),
        );
    }
    fits
}

fn kind(literal: &Lit) -> &'static str {
    match literal {
        Lit::Float(_) => "a number with a fraction",
        Lit::Int(_) => "an integer",
        Lit::Bool(_) => "a truth value",
        Lit::Str(_) => "text",
        _ => "of another type",
    }
}

fn instead(literal: &Lit, base: Base) -> String {
    match (literal, base) {
        (Lit::Int(literal), Base::Real) => format!("write `{}.0`", literal.base10_digits()),
        (_, Base::Real) => "write a number such as `1.0`".to_owned(),
        (_, Base::Integer) => "write an integer such as `1`".to_owned(),
        (_, Base::Boolean) => "write `true` or `false`".to_owned(),
        (_, Base::String) => "write text in quotes".to_owned(),
        (_, Base::Enumeration) => "write a variant such as `Mode::Off`".to_owned(),
    }
}

/// Start value against the range, where both are literals.
pub fn check_start(start: &Expr, attributes: &Attributes, errors: &mut Errors) {
    let values: Vec<(&Expr, f64)> = match start {
        Expr::Array(array) => array
            .elems
            .iter()
            .filter_map(|element| Some((element, options::number(element)?)))
            .collect(),
        Expr::Repeat(repeat) => options::number(&repeat.expr)
            .map(|value| (&*repeat.expr, value))
            .into_iter()
            .collect(),
        other => options::number(other)
            .map(|value| (other, value))
            .into_iter()
            .collect(),
    };
    let limit = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
    for (expression, value) in values {
        if let Some(min) = limit(&attributes.min)
            && value < min
        {
            errors.on(
                expression,
                format!("the start value {value} is below `min` = {min}"),
            );
            return;
        }
        if let Some(max) = limit(&attributes.max)
            && value > max
        {
            errors.on(
                expression,
                format!("the start value {value} is above `max` = {max}"),
            );
            return;
        }
    }
}

/// The text of a string literal, for callers that have an expression.
pub fn text_of(expression: &Expr) -> Option<(String, Span)> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => Some((text.value(), expression.span())),
        _ => None,
    }
}
