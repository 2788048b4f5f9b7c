//! Everything resolved and judged: roles, types, variability, start values. A plain data structure that *expand*
//! turns into code without further decisions.

mod about;
mod attributes;
mod field;
mod types;

pub use about::{About, TypeDefinition};
pub use attributes::Attributes;
pub use field::{Field, Group, Part, Variable};
pub use types::Base;

use crate::errors::Errors;
use crate::parse::model::ModelSyntax;
use syn::{Attribute, ConstParam, GenericParam, Ident, Visibility};

/// A model, resolved.
pub struct Model {
    pub ident: Ident,
    pub visibility: Visibility,
    /// Attributes of the struct that are not ours (doc comments, derives).
    pub attributes: Vec<Attribute>,
    /// The author's const generics.
    pub const_params: Vec<ConstParam>,
    pub about: About,
    pub fields: Vec<Field>,
    /// The struct needs `#[derive(Clone)]` of ours.
    pub derive_clone: bool,
}

impl Model {
    /// The variables, without parts and internal fields.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.fields.iter().filter_map(|field| match field {
            Field::Variable(variable) => Some(&**variable),
            _ => None,
        })
    }

    /// The parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.fields.iter().filter_map(|field| match field {
            Field::Part(part) => Some(&**part),
            _ => None,
        })
    }
}

/// Resolves what was parsed. Mistakes are noted, and what is left is still a model.
pub fn resolve(syntax: ModelSyntax, errors: &mut Errors) -> Model {
    let mut const_params = Vec::new();
    for param in &syntax.item.generics.params {
        match param {
            GenericParam::Const(param) => const_params.push(param.clone()),
            other => errors.on(
                other,
                "a model may have const parameters only (`const N: usize`): FMI variables have concrete types",
            ),
        }
    }
    let about = about::resolve(&syntax, errors);
    let fields = syntax
        .fields
        .into_iter()
        .map(|field| field::resolve(field, &about, errors))
        .collect();
    let derives = derives(&syntax.item.attrs);
    if let Some(default) = derives.iter().find(|path| path.is_ident("Default")) {
        errors.on(
            default,
            "`#[model]` implements `Default` itself, with the start values: remove it here",
        );
    }
    let mut attributes = syntax.item.attrs;
    if derives.iter().any(|path| path.is_ident("Default")) {
        attributes.retain(|attribute| !attribute.path().is_ident("derive"));
    }
    Model {
        ident: syntax.item.ident,
        visibility: syntax.item.vis,
        const_params,
        about,
        fields,
        derive_clone: !derives.iter().any(|path| path.is_ident("Clone")),
        attributes,
    }
}

fn derives(attributes: &[Attribute]) -> Vec<syn::Path> {
    let mut derives = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"))
    {
        // A malformed derive is rustc's to report.
        let _ = attribute.parse_nested_meta(|meta| {
            derives.push(meta.path);
            Ok(())
        });
    }
    derives
}
