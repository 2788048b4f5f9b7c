//! A field: its role, and what the role makes of it in the terms of the standard.

use super::about::About;
use super::attributes::{self, Attributes};
use super::types::{self, Base, FieldType};
use crate::errors::{Errors, suggestion};
use crate::parse::model::FieldSyntax;
use crate::parse::options::{self, OptionItem, OptionValue};
use fmi::description::{Causality, Initial, Variability};
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Token, Type, Visibility};

/// The role of a variable, by its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    State,
    Input,
    Output,
    Local,
    Parameter,
    Constant,
    Discrete,
}

/// Which function of the author's gives the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Given,
    State,
    Calculated,
    Local,
    Output,
}

/// A field, resolved.
pub enum Field {
    Variable(Box<Variable>),
    Part(Box<Part>),
    Internal(Box<Internal>),
}

/// What every field has.
pub struct Common {
    pub ident: Ident,
    pub visibility: Visibility,
    pub attributes: Vec<Attribute>,
}

/// A field that is a variable, or an array of them.
pub struct Variable {
    pub common: Common,
    /// Name in the model description.
    pub name: String,
    pub docs: String,
    pub ty: FieldType,
    pub group: Group,
    /// `fn initial` gives the value at the start.
    pub initial_equation: bool,
    pub causality: Causality,
    pub variability: Variability,
    pub initial: Option<Initial>,
    pub start: Option<Expr>,
    pub declared_type: Option<String>,
    pub values: Attributes,
}

/// A field that is a model itself, or an array of them.
pub struct Part {
    pub common: Common,
    pub name: String,
    /// Type of the part, or of one element.
    pub element: Type,
    /// Length, if it is an array.
    pub length: Option<Expr>,
    pub default: Option<Expr>,
    /// Inputs that this model drives.
    pub connected: Vec<Ident>,
}

/// A field that is no variable.
pub struct Internal {
    pub common: Common,
    pub ty: Type,
    pub default: Option<Expr>,
}

/// Resolves one field.
pub fn resolve(syntax: FieldSyntax, about: &About, errors: &mut Errors) -> Field {
    let common = Common {
        ident: syntax.ident.clone(),
        visibility: syntax.visibility.clone(),
        attributes: syntax.attributes.clone(),
    };
    match syntax.role.0.as_str() {
        "internal" => internal(syntax, common, errors),
        "part" => part(syntax, common, errors),
        role => Field::Variable(Box::new(variable(role_of(role), syntax, common, about, errors))),
    }
}

fn role_of(name: &str) -> Role {
    match name {
        "state" => Role::State,
        "input" => Role::Input,
        "output" => Role::Output,
        "local" => Role::Local,
        "parameter" => Role::Parameter,
        "constant" => Role::Constant,
        _ => Role::Discrete,
    }
}

fn internal(syntax: FieldSyntax, common: Common, errors: &mut Errors) -> Field {
    let mut default = None;
    for item in &syntax.options {
        match item.name().as_str() {
            "default" => default = item.expression("...", errors),
            other => errors.at(
                item.span(),
                format!("an internal field is no FMI variable, so it has no `{other}`: only `default = ...`"),
            ),
        }
    }
    Field::Internal(Box::new(Internal {
        common,
        ty: syntax.ty,
        default,
    }))
}

fn part(syntax: FieldSyntax, common: Common, errors: &mut Errors) -> Field {
    let (mut default, mut connected) = (None, Vec::new());
    for item in &syntax.options {
        match (item.name().as_str(), &item.value) {
            ("default", _) => default = item.expression("Pipe { length: 2.0, ..Pipe::default() }", errors),
            ("connect", OptionValue::List(tokens)) => {
                match Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens.clone()) {
                    Ok(inputs) => connected = inputs.into_iter().collect(),
                    Err(error) => errors.push(error),
                }
            }
            ("connect", _) => errors.at(
                item.span(),
                "name the inputs that this model drives: `connect(u, w)`",
            ),
            (other, _) => errors.at(
                item.span(),
                format!(
                    "a part has no option `{other}`: {}",
                    suggestion(other, &["connect", "default"])
                ),
            ),
        }
    }
    let (element, length) = match syntax.ty {
        Type::Array(array) => (*array.elem, Some(array.len)),
        other => (other, None),
    };
    if let Type::Path(path) = &element {
        let last = path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        if matches!(last.as_str(), "f64" | "i32" | "bool" | "String") {
            errors.on(
                &element,
                format!("a part is another `#[model]` struct, `{last}` is a variable: give it a role"),
            );
        }
    }
    let name = common.ident.unraw().to_string();
    Field::Part(Box::new(Part {
        common,
        name,
        element,
        length,
        default,
        connected,
    }))
}

/// The options that belong to a role, beside those of the value.
fn own_keys(role: Role) -> &'static [&'static str] {
    match role {
        Role::State => &["start", "initial", "output", "declared_type"],
        Role::Input => &["start", "discrete", "declared_type"],
        Role::Output => &["discrete", "declared_type"],
        Role::Local => &["output", "discrete", "declared_type"],
        Role::Parameter => &["start", "tunable", "calculated", "declared_type"],
        Role::Constant => &["start", "output", "declared_type"],
        Role::Discrete => &["start", "initial", "output", "declared_type"],
    }
}

/// The flags and values that depend on the role.
#[derive(Default)]
struct Own {
    start: Option<Expr>,
    /// A start value was written, right or wrong.
    start_written: bool,
    initial: Option<(Initial, Span)>,
    output: bool,
    discrete: bool,
    tunable: bool,
    calculated: bool,
    declared_type: Option<String>,
}

fn variable(role: Role, syntax: FieldSyntax, common: Common, about: &About, errors: &mut Errors) -> Variable {
    let ty = types::resolve(syntax.ty, errors);
    let own = own_options(role, &syntax.options, ty.base, about, errors);
    if role == Role::State && ty.base != Base::Real {
        errors.on(
            &ty.ty,
            format!(
                "a continuous state is f64, this is {}: use `#[discrete]` for a value that events change",
                ty.base.rust()
            ),
        );
    }
    let mut values = attributes::resolve(&syntax.options, ty.base, errors);
    inherit(
        &mut values,
        own.declared_type.as_deref(),
        about,
        &syntax.options,
        errors,
    );
    if let Some(start) = &own.start {
        attributes::check_start(start, &values, errors);
    }
    let (causality, variability) = class(role, &own, ty.base);
    let initial = initial(role, &own, causality, variability);
    check_start_presence(role, &own, initial, &syntax.role.1, &values, errors);
    Variable {
        name: common.ident.unraw().to_string(),
        docs: syntax.docs,
        group: match role {
            Role::State => Group::State,
            Role::Output => Group::Output,
            Role::Local => Group::Local,
            Role::Parameter if own.calculated => Group::Calculated,
            _ => Group::Given,
        },
        initial_equation: matches!(role, Role::State | Role::Discrete) && initial != Some(Initial::Exact),
        common,
        ty,
        causality,
        variability,
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
            misplaced(role, item, errors);
            own.start_written |= name == "start";
            continue;
        }
        match name.as_str() {
            "start" => {
                own.start_written = true;
                own.start = item
                    .expression("...", errors)
                    .filter(|expression| attributes::match_literal(expression, base, "start", errors));
            }
            "initial" => own.initial = initial_option(item, errors),
            "output" => own.output = item.flag(errors),
            "tunable" => own.tunable = item.flag(errors),
            "calculated" => own.calculated = item.flag(errors),
            "discrete" => own.discrete = item.flag(errors),
            _ => own.declared_type = declared_type(item, base, about, errors),
        }
    }
    own
}

fn initial_option(item: &OptionItem, errors: &mut Errors) -> Option<(Initial, Span)> {
    let (text, span) = item.text("calculated", errors)?;
    let initial = match text.as_str() {
        "exact" => Initial::Exact,
        "approx" => Initial::Approx,
        "calculated" => Initial::Calculated,
        other => {
            let choices = suggestion(other, &["exact", "approx", "calculated"]);
            errors.at(span, format!("`initial` cannot be \"{other}\": {choices}"));
            return None;
        }
    };
    Some((initial, span))
}

fn declared_type(item: &OptionItem, base: Base, about: &About, errors: &mut Errors) -> Option<String> {
    let expression = item.expression("Pressure", errors)?;
    let (name, span) = match &expression {
        Expr::Path(path) if path.path.get_ident().is_some() => {
            (path.path.get_ident()?.to_string(), path.path.get_ident()?.span())
        }
        other => attributes::text_of(other)?,
    };
    if base != Base::Real {
        errors.at(
            span,
            format!(
                "`types(...)` defines types of f64, this is {}: remove it",
                base.rust()
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
        format!("define it: `#[model(types({name}(unit = \"...\")))]`")
    } else {
        suggestion(&name, &known)
    };
    errors.at(span, format!("there is no type `{name}`: {hint}"));
    None
}

/// An option that does not belong to the role: say why, and what to write instead.
fn misplaced(role: Role, item: &OptionItem, errors: &mut Errors) {
    let name = item.name();
    let message = match (role, name.as_str()) {
        (Role::Input, "initial") => {
            "an input is set from outside, so the standard allows no `initial`: remove it".to_owned()
        }
        (Role::Input, "output") | (Role::Parameter, "output") => {
            let what = if role == Role::Input { "an input" } else { "a parameter" };
            format!("{what} cannot be an output too: add `#[output] y: f64` and give it the value in `fn outputs`")
        }
        (Role::Output | Role::Local, "start") => {
            "a calculated variable has no start value: remove it, or use `#[discrete(start = ...)]` for one with memory"
                .to_owned()
        }
        (Role::Output | Role::Local, "initial") => {
            "outputs and locals are always calculated: remove `initial` (states and discrete variables have it)"
                .to_owned()
        }
        (Role::Output, "output") => "it is an output already: remove the flag".to_owned(),
        (Role::Parameter, "initial") => {
            "a parameter is exact; for one that follows from others write `#[parameter(calculated)]`".to_owned()
        }
        (Role::Constant, "initial") => "a constant is always exact: remove `initial`".to_owned(),
        (Role::Parameter | Role::Constant, "discrete") => {
            "a parameter or constant does not change at events: use `#[discrete]` for one that does".to_owned()
        }
        (Role::Input, "tunable") => {
            "an input changes at any time; one that changes between events only is `#[input(discrete)]`, \
             one that is tuned is `#[parameter(tunable)]`"
                .to_owned()
        }
        (_, "tunable" | "calculated") => format!("`{name}` is for parameters: write `#[parameter({name})]`"),
        (Role::State, "discrete") => {
            "a state is continuous: use `#[discrete]` alone for a value that events change".to_owned()
        }
        (Role::Discrete, "discrete") => "it is discrete already: remove the flag".to_owned(),
        (_, "type") => "types are `declared_type = Name`, from `#[model(types(Name(...)))]`".to_owned(),
        _ => {
            let keys: Vec<&str> = own_keys(role).iter().chain(attributes::KEYS).copied().collect();
            format!("there is no option `{name}` here: {}", suggestion(&name, &keys))
        }
    };
    errors.at(item.span(), message);
}

/// What the variable does not say itself comes from its declared type; what it says must fit.
fn inherit(
    values: &mut Attributes,
    declared_type: Option<&str>,
    about: &About,
    items: &[OptionItem],
    errors: &mut Errors,
) {
    let Some(definition) = about
        .types
        .iter()
        .find(|definition| Some(definition.name.as_str()) == declared_type)
    else {
        return;
    };
    let number = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
    for (key, outside) in [
        (
            "min",
            matches!((number(&values.min), number(&definition.attributes.min)), (Some(own), Some(of_type)) if own < of_type),
        ),
        (
            "max",
            matches!((number(&values.max), number(&definition.attributes.max)), (Some(own), Some(of_type)) if own > of_type),
        ),
    ] {
        if outside && let Some(item) = items.iter().find(|item| item.key == key) {
            errors.at(
                item.span(),
                format!("`{key}` goes beyond the range of the type `{}`", definition.name),
            );
        }
    }
    let of_type = &definition.attributes;
    values.min = values.min.take().or_else(|| of_type.min.clone());
    values.max = values.max.take().or_else(|| of_type.max.clone());
    values.nominal = values.nominal.take().or_else(|| of_type.nominal.clone());
    if values.unit.is_none() {
        values.unit = of_type.unit.clone();
        values.display_unit = values
            .display_unit
            .take()
            .or_else(|| of_type.display_unit.clone());
    }
}

/// Causality and variability.
fn class(role: Role, own: &Own, base: Base) -> (Causality, Variability) {
    let local_or_output = if own.output {
        Causality::Output
    } else {
        Causality::Local
    };
    // Only Real variables can be continuous.
    let moving = if own.discrete || base != Base::Real {
        Variability::Discrete
    } else {
        Variability::Continuous
    };
    let parameter = if own.tunable {
        Variability::Tunable
    } else {
        Variability::Fixed
    };
    match role {
        Role::State => (local_or_output, Variability::Continuous),
        Role::Input => (Causality::Input, moving),
        Role::Output => (Causality::Output, moving),
        Role::Local => (local_or_output, moving),
        Role::Parameter if own.calculated => (Causality::CalculatedParameter, parameter),
        Role::Parameter => (Causality::Parameter, parameter),
        Role::Constant => (local_or_output, Variability::Constant),
        Role::Discrete => (local_or_output, Variability::Discrete),
    }
}

fn initial(role: Role, own: &Own, causality: Causality, variability: Variability) -> Option<Initial> {
    match role {
        Role::State | Role::Discrete => Some(own.initial.map_or(Initial::Exact, |(initial, _)| initial)),
        _ => fmi::legality::default_initial(causality, variability),
    }
}

fn check_start_presence(
    role: Role,
    own: &Own,
    initial: Option<Initial>,
    role_span: &Span,
    values: &Attributes,
    errors: &mut Errors,
) {
    if own.calculated || initial == Some(Initial::Calculated) {
        // Outputs and locals have no `start` option at all; that was said already.
        if let Some(start) = own
            .start
            .as_ref()
            .filter(|_| !matches!(role, Role::Output | Role::Local))
        {
            let instead = if own.calculated {
                "remove `start` or `calculated`"
            } else {
                "remove it, or write `initial = \"approx\"`"
            };
            errors.on(
                start,
                format!("a calculated variable has no start value: {instead}"),
            );
        }
        return;
    }
    if own.start_written {
        return;
    }
    let message = match role {
        Role::State => {
            "a state needs a start value: `start = 0.0`, or `initial = \"calculated\"` with `fn initial`"
        }
        Role::Parameter => {
            "a parameter needs a start value: `start = ...`, or `calculated` with `fn calculated`"
        }
        Role::Constant => "a constant needs its value: `start = ...`",
        Role::Discrete => {
            "a discrete variable needs a start value: `start = ...`, or `initial = \"calculated\"` with `fn initial`"
        }
        Role::Input => {
            let number = |bound: &Option<Expr>| bound.as_ref().and_then(options::number);
            let zero_fits = number(&values.min).is_none_or(|min| min <= 0.0)
                && number(&values.max).is_none_or(|max| max >= 0.0);
            if zero_fits {
                return;
            }
            "an input starts at 0 unless told otherwise, which is outside its range: write `start = ...`"
        }
        Role::Output | Role::Local => return,
    };
    errors.at(*role_span, message);
}
