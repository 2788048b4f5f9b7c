//! The struct behind `#[model]`.

use super::options::{self, OptionItem};
use crate::errors::{Errors, closest};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Fields, Ident, Item, ItemStruct, Lit, Meta, Type, Visibility};

/// The roles a field can have, by the name of their attribute.
pub const ROLES: &[&str] = &[
    "state",
    "input",
    "output",
    "local",
    "parameter",
    "constant",
    "discrete",
    "implicit",
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
    /// `#[sampled(...)]`, with its place.
    pub sampled: Option<(Vec<OptionItem>, Span)>,
}

/// Reads the struct. Fields that cannot be understood are reported and kept as internal ones; an item that cannot be
/// a model at all is handed back.
pub fn parse(attribute: TokenStream, item: Item, errors: &mut Errors) -> Result<ModelSyntax, Box<Item>> {
    let options = options::parse(attribute, errors);
    let item = match item {
        Item::Struct(item) => item,
        other => {
            errors.at(
                Span::call_site(),
                "`#[model]` belongs on a struct with named fields: `#[model] struct Ball { ... }`",
            );
            return Err(Box::new(other));
        }
    };
    let Fields::Named(named) = &item.fields else {
        errors.on(
            &item.ident,
            format!(
                "a model has named fields, which become the variables of the FMU: write `struct {} {{ ... }}`",
                item.ident
            ),
        );
        return Err(Box::new(Item::Struct(item)));
    };
    let mut fields: Vec<FieldSyntax> = Vec::new();
    for field in named.named.iter().cloned() {
        let Some(field) = parse_field(field, errors) else {
            continue;
        };
        if fields.iter().any(|known| known.ident == field.ident) {
            errors.at(
                field.ident.span(),
                format!("there is a field `{}` already: rename one", field.ident),
            );
        } else {
            fields.push(field);
        }
    }
    let docs = docs(&item.attrs);
    Ok(ModelSyntax {
        options,
        item,
        docs,
        fields,
    })
}

fn parse_field(field: syn::Field, errors: &mut Errors) -> Option<FieldSyntax> {
    let ident = field.ident?;
    let mut role: Option<(String, Span, TokenStream)> = None;
    let mut others = Vec::new();
    let mut sampled = None;
    for attribute in field.attrs {
        let name = name_of(&attribute);
        if name == "sampled" {
            let options = options::parse(tokens_of(&attribute), errors);
            sampled = Some((options, attribute.path().span()));
            continue;
        }
        let Some(meant) = meant_role(&name) else {
            others.push(attribute);
            continue;
        };
        if meant != name {
            errors.at(
                attribute.path().span(),
                format!("there is no role `{name}`: did you mean `#[{meant}]`?"),
            );
        }
        if let Some((first, ..)) = &role {
            errors.at(
                attribute.path().span(),
                format!("`{ident}` has a role already: {}", keep_one(first, meant)),
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
    let docs = docs(&others);
    let (name, span, tokens) = role.unwrap_or_else(|| {
        report_no_role(&ident, &mut others, errors);
        ("internal".to_owned(), ident.span(), TokenStream::new())
    });
    Some(FieldSyntax {
        docs,
        role: (name, span),
        visibility: field.vis,
        ty: field.ty,
        attributes: others,
        options: options::parse(tokens, errors),
        sampled,
        ident,
    })
}

/// What an attribute has in its parentheses.
pub fn tokens_of(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

fn name_of(attribute: &Attribute) -> String {
    attribute
        .path()
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Attributes that any field may have, beside its role.
const WELL_KNOWN: &[&str] = &[
    "doc",
    "allow",
    "cfg",
    "cfg_attr",
    "expect",
    "warn",
    "deny",
    "deprecated",
    "serde",
];

/// The role that an attribute is, or was meant to be.
fn meant_role(name: &str) -> Option<&'static str> {
    if WELL_KNOWN.contains(&name) {
        None
    } else {
        closest(name, ROLES)
    }
}

/// One message: at the attribute that may have been meant as a role, else at the field.
fn report_no_role(ident: &Ident, others: &mut Vec<Attribute>, errors: &mut Errors) {
    let roles = format!("write one of #[{}]", ROLES.join("], #["));
    let stranger = others.iter().position(|attribute| {
        let name = name_of(attribute);
        !name.is_empty() && !WELL_KNOWN.contains(&name.as_str())
    });
    match stranger {
        Some(at) => {
            let attribute = others.remove(at);
            errors.at(
                attribute.path().span(),
                format!("there is no role `{}`: {roles}", name_of(&attribute)),
            );
        }
        None => errors.at(ident.span(), format!("`{ident}` has no role: {roles} above it")),
    }
}

/// What to do about two roles.
fn keep_one(first: &str, second: &str) -> String {
    let also_output = ["state", "local", "discrete", "implicit", "constant"];
    let of_pair = |role: &str, other: &str| also_output.contains(&role) && other == "output";
    if of_pair(first, second) || of_pair(second, first) {
        let role = if first == "output" { second } else { first };
        format!("for {role} and output in one write `#[{role}(output)]`")
    } else if first == second {
        "keep one of the two attributes".to_owned()
    } else {
        format!("keep either `#[{first}]` or `#[{second}]`")
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
