//! The struct behind `#[model]`.

use super::options::{self, OptionItem};
use crate::errors::{Errors, closest};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Fields, Ident, ItemStruct, Lit, Meta, Type, Visibility};

/// The roles a field can have, by the name of their attribute.
pub const ROLES: &[&str] = &[
    "state",
    "input",
    "output",
    "local",
    "parameter",
    "constant",
    "discrete",
    "internal",
    "part",
];

/// The struct as written.
pub struct ModelSyntax {
    pub options: Vec<OptionItem>,
    pub item: ItemStruct,
    pub docs: String,
    pub fields: Vec<FieldSyntax>,
}

/// A field as written.
pub struct FieldSyntax {
    pub ident: Ident,
    pub visibility: Visibility,
    pub ty: Type,
    pub docs: String,
    /// Attributes that are not ours.
    pub attributes: Vec<Attribute>,
    /// Name and place of the role attribute.
    pub role: (String, Span),
    pub options: Vec<OptionItem>,
}

/// Reads the struct; fields that cannot be understood are reported and left out.
pub fn parse(attribute: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<ModelSyntax> {
    let options = options::parse(attribute, errors);
    let item: syn::Item = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
    let syn::Item::Struct(item) = item else {
        errors.at(
            Span::call_site(),
            "`#[model]` belongs on a struct with named fields: `#[model] pub struct Ball { ... }`",
        );
        return None;
    };
    let named = match &item.fields {
        Fields::Named(named) => named.named.iter().cloned().collect::<Vec<_>>(),
        Fields::Unnamed(_) => {
            errors.on(
                &item.fields,
                "a model needs named fields: the names become the variables of the FMU",
            );
            Vec::new()
        }
        Fields::Unit => {
            errors.on(
                &item.ident,
                "a model needs at least one variable: add fields with a role such as `#[state]`",
            );
            Vec::new()
        }
    };
    let mut fields: Vec<FieldSyntax> = Vec::new();
    for field in named {
        let Some(field) = parse_field(field, errors) else {
            continue;
        };
        if fields.iter().any(|known| known.ident == field.ident) {
            errors.at(
                field.ident.span(),
                format!("a variable `{}` is there already: rename one", field.ident),
            );
        } else {
            fields.push(field);
        }
    }
    let docs = docs(&item.attrs);
    Some(ModelSyntax {
        options,
        item,
        docs,
        fields,
    })
}

fn parse_field(field: syn::Field, errors: &mut Errors) -> Option<FieldSyntax> {
    let ident = field.ident?;
    let mut role: Option<(String, Span, TokenStream)> = None;
    let mut attributes = Vec::new();
    for attribute in &field.attrs {
        let name = attribute
            .path()
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        let known = ROLES.contains(&name.as_str());
        // An attribute that nobody knows would be rustc's error; one that looks like a role is a typo of ours.
        let meant = if known {
            Some(name.as_str())
        } else {
            misspelt_role(&name)
        };
        let Some(meant) = meant else {
            attributes.push(attribute.clone());
            continue;
        };
        if !known {
            errors.at(
                attribute.path().span(),
                format!(
                    "there is no role `{name}`: did you mean `#[{meant}]`? (roles: {})",
                    ROLES.join(", ")
                ),
            );
        }
        if role.is_some() {
            errors.on(
                attribute,
                format!(
                    "`{ident}` has two roles: keep one (a state that is also an output is `#[state(output)]`)"
                ),
            );
            continue;
        }
        let tokens = match &attribute.meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(pair) => {
                errors.on(pair, format!("write `#[{meant}(...)]`"));
                TokenStream::new()
            }
        };
        role = Some((meant.to_owned(), attribute.path().span(), tokens));
    }
    let Some((name, span, tokens)) = role else {
        errors.at(
            ident.span(),
            format!(
                "`{ident}` has no role: write one of #[{}] above it",
                ROLES.join("], #[")
            ),
        );
        return Some(FieldSyntax {
            docs: String::new(),
            role: ("internal".to_owned(), ident.span()),
            visibility: field.vis,
            ty: field.ty,
            attributes,
            options: Vec::new(),
            ident,
        });
    };
    let options = options::parse(tokens, errors);
    Some(FieldSyntax {
        docs: docs(&field.attrs),
        role: (name, span),
        visibility: field.vis,
        ty: field.ty,
        attributes,
        options,
        ident,
    })
}

/// Attributes of the language and of well-known derives are left alone; a near miss of a role is a typo.
fn misspelt_role(name: &str) -> Option<&'static str> {
    const OTHERS: &[&str] = &[
        "doc",
        "allow",
        "cfg",
        "expect",
        "warn",
        "deny",
        "deprecated",
        "serde",
        "inline",
    ];
    if OTHERS.contains(&name) {
        None
    } else {
        closest(name, ROLES)
    }
}

/// The doc comment as one line of text: an XML attribute has no line breaks.
pub fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
