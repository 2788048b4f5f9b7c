//! A field: a variable, a part, or something internal.

use super::about::About;
use super::sampled::{self, Timing};
use super::types;
use super::types::Base;
use super::variable::{self, Variable};
use crate::errors::{Errors, suggestion};
use crate::parse::model::FieldSyntax;
use crate::parse::options::{OptionItem, OptionValue};
use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Token, Type, Visibility};

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
    /// When the sampled functions of the part run.
    pub sampled: Option<Timing>,
}

/// A field that is not a variable, or that could not be understood.
pub struct Internal {
    pub common: Common,
    pub ty: Type,
    pub default: Option<Expr>,
    /// Only `fn instantiate` changes it.
    pub fixed: bool,
}

/// The name of a field, and whether it is an `f64` or a part.
pub fn is_number(syntax: &FieldSyntax) -> (String, bool) {
    let is_f64 = matches!(&syntax.ty, Type::Path(path) if path.path.is_ident("f64"));
    (
        syntax.ident.unraw().to_string(),
        is_f64 || syntax.role.0 == "part",
    )
}

/// Resolves one field; `numbers` are the results of [`is_number`].
pub fn resolve(
    mut syntax: FieldSyntax,
    about: &About,
    numbers: &[(String, bool)],
    errors: &mut Errors,
) -> Field {
    let sampled = syntax.sampled.take();
    if let Some((_, span)) = &sampled
        && syntax.role.0 != "part"
    {
        sampled::misplaced(*span, errors);
    }
    let sampled = sampled.map(|(options, _)| sampled::timing(&options, numbers, errors));
    let common = Common {
        ident: syntax.ident.clone(),
        visibility: syntax.visibility.clone(),
        attributes: syntax.attributes.clone(),
    };
    match syntax.role.0.as_str() {
        "internal" => {
            let (default, fixed) = internal_options(&syntax.options, errors);
            Field::Internal(Box::new(Internal {
                common,
                default,
                fixed,
                ty: syntax.ty,
            }))
        }
        "part" => part(syntax, common, sampled, errors),
        role => match types::resolve(&syntax.ty, errors) {
            Some(ty) => {
                let role = variable::role_of(role);
                Field::Variable(Box::new(variable::resolve(
                    role, ty, syntax, common, about, errors,
                )))
            }
            None => Field::Internal(Box::new(Internal {
                common,
                ty: syntax.ty,
                default: None,
                fixed: false,
            })),
        },
    }
}

fn internal_options(items: &[OptionItem], errors: &mut Errors) -> (Option<Expr>, bool) {
    let (mut default, mut fixed) = (None, false);
    for item in items {
        match item.name().as_str() {
            "default" => default = item.expression("...", errors),
            "fixed" => fixed = item.flag(errors),
            "start" => errors.at(
                item.span(),
                "an internal field is not an FMI variable and has no start value: write `default = ...`",
            ),
            other => errors.at(
                item.span(),
                format!(
                    "an internal field is not an FMI variable and has no `{other}`: only `default = ...`, and `fixed` if \
                     nothing but `fn instantiate` changes it"
                ),
            ),
        }
    }
    (default, fixed)
}

fn part(syntax: FieldSyntax, common: Common, sampled: Option<Timing>, errors: &mut Errors) -> Field {
    let (mut default, mut connected) = (None, Vec::new());
    for item in &syntax.options {
        match (item.name().as_str(), &item.value) {
            ("default", _) => default = item.expression("Pipe { length: 2.0, ..Pipe::default() }", errors),
            ("connect", OptionValue::List(tokens)) => connected = connections(tokens, errors),
            ("connect", _) => errors.at(
                item.span(),
                "name the inputs of the part that this model drives: `connect(u, w)`",
            ),
            ("start", _) => errors.at(
                item.span(),
                "a part has no start value of its own: write `default = Pipe { length: 2.0, ..Pipe::default() }`",
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
    let (element, length) = match &syntax.ty {
        Type::Array(array) => ((*array.elem).clone(), Some(array.len.clone())),
        other => (other.clone(), None),
    };
    // The types of variables are not structs of the author's; any other name may be one.
    if !matches!(types::resolve(&element, &mut Errors::default()), Some(ty) if ty.base == Base::Enumeration) {
        errors.on(
            &element,
            "a part is another `#[model]` struct or an array of them: give other fields a role such as `#[state]`",
        );
        return Field::Internal(Box::new(Internal {
            common,
            ty: syntax.ty,
            default: None,
            fixed: false,
        }));
    }
    Field::Part(Box::new(Part {
        name: common.ident.unraw().to_string(),
        common,
        element,
        length,
        default,
        connected,
        sampled,
    }))
}

fn connections(tokens: &TokenStream, errors: &mut Errors) -> Vec<Ident> {
    let inputs = match Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens.clone()) {
        Ok(inputs) => inputs,
        Err(error) => {
            errors.at(error.span(), "name the inputs of the part: `connect(u, w)`");
            return Vec::new();
        }
    };
    let mut connected: Vec<Ident> = Vec::new();
    for input in inputs {
        if connected.contains(&input) {
            errors.on(&input, format!("`{input}` is connected twice: keep one"));
        } else {
            connected.push(input);
        }
    }
    connected
}
