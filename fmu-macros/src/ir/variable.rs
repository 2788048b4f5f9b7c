//! A variable: role, flags, start value.

use super::about::About;
use super::attributes::{self, Attributes};
use super::field::Common;
use super::literals::match_literal;
use super::misplaced;
use super::types::{Base, FieldType};
use crate::errors::{Errors, suggestion};
use crate::parse::model::FieldSyntax;
use crate::parse::options::{self, OptionItem};
use crate::role::Role;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

/// How the value at the start of a simulation is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialValue {
    /// By the start value.
    Start,
    /// By equations, with the start value as a first guess.
    Guess,
    /// By equations alone.
    Calculated,
}

/// A field that is a variable, or an array of them.
pub struct Variable {
    pub common: Common,
    /// Name in the model description.
    pub name: String,
    pub docs: String,
    pub ty: FieldType,
    pub role: Role,
    /// Also an output.
    pub output: bool,
    /// Changes at events only.
    pub discrete: bool,
    /// May be changed during a simulation.
    pub tunable: bool,
    pub initial: InitialValue,
    /// `fn initial` gives the value at the start.
    pub initial_equation: bool,
    pub start: Option<Expr>,
    pub declared_type: Option<String>,
    pub values: Attributes,
}

impl Variable {
    /// Whether it is given a value from outside that has too many to try them all.
    pub fn is_unbounded(&self) -> bool {
        let given = matches!(self.role, Role::Input | Role::Parameter | Role::Discrete);
        let bound = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
        given
            && match self.ty.base {
                Base::Integer => match (bound(&self.values.min), bound(&self.values.max)) {
                    (Some(min), Some(max)) => max - min >= fmu_standard::shared::TRIED_INTEGER_VALUES as f64,
                    _ => true,
                },
                Base::String => true,
                Base::Real | Base::Boolean | Base::Enumeration => false,
            }
    }
}

/// The role behind an attribute's name.
pub fn role_of(name: &str) -> Role {
    match name {
        "state" => Role::State,
        "input" => Role::Input,
        "output" => Role::Output,
        "local" => Role::Local,
        "parameter" => Role::Parameter,
        "constant" => Role::Constant,
        "implicit" => Role::Implicit,
        _ => Role::Discrete,
    }
}

/// The options that belong to a role, beside those of the value.
pub fn own_keys(role: Role) -> &'static [&'static str] {
    match role {
        Role::State => &["start", "initial", "output", "declared_type"],
        Role::Input => &["start", "discrete", "declared_type"],
        Role::Output => &["discrete", "declared_type"],
        Role::Local => &["output", "discrete", "declared_type"],
        Role::Parameter => &["start", "tunable", "calculated", "declared_type"],
        Role::Constant => &["start", "output", "declared_type"],
        Role::Implicit => &["start", "output", "declared_type"],
        _ => &["start", "initial", "output", "declared_type"],
    }
}

/// The flags and values that depend on the role.
#[derive(Default)]
struct Own {
    start: Option<Expr>,
    /// A start value was written, right or wrong.
    start_written: bool,
    initial: Option<InitialValue>,
    output: bool,
    discrete: bool,
    tunable: bool,
    calculated: bool,
    declared_type: Option<String>,
}

/// Resolves a field with one of the roles of a variable.
pub fn resolve(
    role: Role,
    ty: FieldType,
    syntax: FieldSyntax,
    common: Common,
    about: &About,
    errors: &mut Errors,
) -> Variable {
    let own = own_options(role, &syntax.options, ty.base, about, errors);
    if role == Role::State && ty.base != Base::Real {
        errors.on(
            &ty.ty,
            format!(
                "a continuous state is an f64, this is {}: use `#[discrete]` for a value that events change",
                ty.base.described()
            ),
        );
    }
    if role == Role::Implicit && ty.base != Base::Real {
        errors.on(
            &ty.ty,
            format!(
                "an implicit unknown is an f64, this is {}: use `#[discrete]` for a value that events change",
                ty.base.described()
            ),
        );
    }
    let of_type = about
        .types
        .iter()
        .find(|definition| Some(&definition.name) == own.declared_type.as_ref());
    let values = attributes::resolve(&syntax.options, ty.base, of_type, errors);
    if let Some(start) = &own.start {
        attributes::check_start(start, &values, errors);
        check_lengths(start, &ty.dimensions, errors);
    }
    let role = match own.calculated {
        true => Role::Calculated,
        false => role,
    };
    let initial = match role {
        Role::State | Role::Discrete => own.initial.unwrap_or(InitialValue::Start),
        Role::Output | Role::Local | Role::Calculated => InitialValue::Calculated,
        Role::Implicit => InitialValue::Guess,
        _ => InitialValue::Start,
    };
    check_start_presence(role, &own, initial, syntax.role.1, &values, errors);
    Variable {
        name: common.ident.unraw().to_string(),
        docs: syntax.docs,
        initial_equation: matches!(role, Role::State | Role::Discrete) && initial != InitialValue::Start,
        common,
        ty,
        role,
        output: own.output,
        discrete: own.discrete,
        tunable: own.tunable,
        initial,
        start: own.start,
        declared_type: own.declared_type,
        values,
    }
}

fn own_options(role: Role, items: &[OptionItem], base: Base, about: &About, errors: &mut Errors) -> Own {
    let mut own = Own::default();
    for item in items {
        let name = item.name();
        if attributes::KEYS.contains(&name.as_str()) {
            continue;
        }
        if !own_keys(role).contains(&name.as_str()) {
            errors.at(item.span(), misplaced::message(role, &name));
            own.start_written |= misplaced::meant_start(&name);
            continue;
        }
        match name.as_str() {
            "start" => {
                own.start_written = true;
                own.start = item
                    .expression("...", errors)
                    .filter(|expression| match_literal(expression, base, "start", errors));
            }
            "initial" => {
                own.initial = initial_option(item, errors);
                // Another value than a word may have been meant as the start value.
                own.start_written |= own.initial.is_none();
            }
            "output" => own.output = item.flag(errors),
            "tunable" => own.tunable = item.flag(errors),
            "calculated" => own.calculated = item.flag(errors),
            "discrete" => own.discrete = item.flag(errors),
            _ => own.declared_type = declared_type(item, base, about, errors),
        }
    }
    own
}

fn initial_option(item: &OptionItem, errors: &mut Errors) -> Option<InitialValue> {
    const CHOICES: &[&str] = &["exact", "approx", "calculated"];
    let expression = item.expression("\"calculated\"", errors)?;
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text), ..
    }) = &expression
    else {
        errors.on(
            expression,
            "`initial` is \"exact\", \"approx\" or \"calculated\"; the value itself is `start = ...`",
        );
        return None;
    };
    match text.value().as_str() {
        "exact" => Some(InitialValue::Start),
        "approx" => Some(InitialValue::Guess),
        "calculated" => Some(InitialValue::Calculated),
        other => {
            errors.on(
                text,
                format!("`initial` cannot be \"{other}\": {}", suggestion(other, CHOICES)),
            );
            None
        }
    }
}

fn declared_type(item: &OptionItem, base: Base, about: &About, errors: &mut Errors) -> Option<String> {
    let expression = item.expression("Pressure", errors)?;
    let (name, span) = match &expression {
        Expr::Path(path) if path.path.get_ident().is_some() => {
            (path.path.get_ident()?.to_string(), path.path.get_ident()?.span())
        }
        Expr::Lit(ExprLit {
            lit: Lit::Str(text), ..
        }) => (text.value(), text.span()),
        other => {
            errors.on(other, "write the name of a type: `declared_type = Pressure`");
            return None;
        }
    };
    if base != Base::Real {
        errors.at(
            item.span(),
            format!(
                "`types(...)` defines types of f64, this is {}: remove it",
                base.described()
            ),
        );
        return None;
    }
    let known: Vec<&str> = about
        .types
        .iter()
        .map(|definition| definition.name.as_str())
        .collect();
    if known.contains(&name.as_str()) {
        return Some(name);
    }
    let hint = if known.is_empty() {
        format!("define it in `#[model(types({name}(unit = \"...\")))]`")
    } else {
        suggestion(&name, &known)
    };
    errors.at(span, format!("there is no type `{name}`: {hint}"));
    None
}

fn check_start_presence(
    role: Role,
    own: &Own,
    initial: InitialValue,
    role_span: Span,
    values: &Attributes,
    errors: &mut Errors,
) {
    // Outputs and locals have no `start` option at all; that is reported elsewhere.
    if matches!(role, Role::Output | Role::Local) {
        return;
    }
    if initial == InitialValue::Calculated {
        if let Some(start) = &own.start {
            let instead = if own.calculated {
                "remove `start`, or `calculated`"
            } else {
                "remove it, or write `initial = \"approx\"` for a first guess"
            };
            errors.at(
                start.span(),
                format!("a calculated variable has no start value: {instead}"),
            );
        }
        return;
    }
    if own.start_written {
        return;
    }
    let message = match role {
        Role::State | Role::Discrete if initial == InitialValue::Guess => {
            "`initial = \"approx\"` needs a first guess: write `start = ...`, or `initial = \"calculated\"` without one"
        }
        Role::State => {
            "a state needs a start value: write `start = 0.0`, or `initial = \"calculated\"` and give it in `fn initial`"
        }
        Role::Discrete => {
            "a discrete variable needs a start value: write `start = ...`, or `initial = \"calculated\"` and give it in \
             `fn initial`"
        }
        Role::Parameter => {
            "a parameter needs a start value: write `start = ...`, or `calculated` and give it in `fn calculated`"
        }
        Role::Constant => "a constant needs its value: write `start = ...`",
        Role::Implicit => {
            "an implicit unknown needs a value where its iteration begins: write `start = ...`, a guess of the solution"
        }
        Role::Input if !zero_fits(values) => {
            "an input starts at 0 unless `start` is given, and 0 is outside its range: write `start = ...`"
        }
        _ => return,
    };
    errors.at(role_span, message);
}

/// An array literal has as many elements as the field, where both are written as numbers.
fn check_lengths(start: &Expr, dimensions: &[Expr], errors: &mut Errors) {
    let (Expr::Array(array), Some((outer, inner))) = (start, dimensions.split_first()) else {
        return;
    };
    match options::number(outer) {
        Some(length) if length != array.elems.len() as f64 => errors.on(
            array,
            format!(
                "{} values for {length} variables: write {length}, or one for all",
                array.elems.len()
            ),
        ),
        _ => {
            for row in &array.elems {
                check_lengths(row, inner, errors);
            }
        }
    }
}

fn zero_fits(values: &Attributes) -> bool {
    let number = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
    number(&values.min).is_none_or(|min| min <= 0.0) && number(&values.max).is_none_or(|max| max >= 0.0)
}
