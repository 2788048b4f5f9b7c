//! Everything resolved and checked: roles, types, flags, start values. A plain data structure that *expand*
//! turns into code without further decisions.

mod about;
mod attributes;
pub mod edges;
pub mod equations;
mod field;
mod literals;
mod misplaced;
pub mod sampled;
mod types;
mod variable;

#[cfg(test)]
mod tests;

pub use about::{About, TypeDefinition};
pub use attributes::Attributes;
pub use field::{Common, Field, Part};
pub use types::Base;
pub use variable::Variable;

use crate::errors::Errors;
use crate::parse::model::ModelSyntax;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, ConstParam, GenericParam, Generics, Ident, Visibility, parse_quote};

/// A model, resolved.
pub struct Model {
    pub ident: Ident,
    pub visibility: Visibility,
    /// Attributes of the struct that are not ours (doc comments, derives).
    pub attributes: Vec<Attribute>,
    /// As written.
    pub generics: Generics,
    /// The author's const generics.
    pub const_params: Vec<ConstParam>,
    pub about: About,
    pub fields: Vec<Field>,
    /// The struct needs `#[derive(Clone)]` of ours.
    pub derive_clone: bool,
    /// No mistake was found.
    pub sound: bool,
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

impl Field {
    /// What every field has.
    pub fn common(&self) -> &Common {
        match self {
            Field::Variable(variable) => &variable.common,
            Field::Part(part) => &part.common,
            Field::Internal(internal) => &internal.common,
        }
    }
}

/// Resolves what was parsed. Mistakes are noted, and what is left is still a model, though not a sound one.
pub fn resolve(syntax: ModelSyntax, errors: &mut Errors) -> Model {
    let const_params = const_params(&syntax.item.generics, errors);
    let about = about::resolve(&syntax, errors);
    let numbers: Vec<(String, bool)> = syntax.fields.iter().map(field::is_number).collect();
    let mut fields: Vec<Field> = syntax
        .fields
        .into_iter()
        .map(|field| field::resolve(field, &about, &numbers, errors))
        .collect();
    // At the end, in this order: there the runtime finds them.
    let parts = [
        about
            .solver_statistics
            .map(|asked| ("solver_statistics", solver_statistics(asked))),
        about
            .solver_parameters
            .map(|asked| ("solver_parameters", solver_parameters(&about, asked))),
    ];
    for (option, part) in parts.into_iter().flatten() {
        match fields.iter().find(|field| field.common().ident == part.name) {
            Some(field) => errors.on(
                &field.common().ident,
                format!(
                    "`{option}` brings a part of the name `{}`: rename this field",
                    part.name
                ),
            ),
            None => fields.push(Field::Part(Box::new(part))),
        }
    }
    let mut attributes = syntax.item.attrs;
    let derives = derives(&attributes);
    if let Some(default) = derives.iter().find(|path| path.is_ident("Default")) {
        errors.on(
            default,
            "`#[model]` implements `Default` itself, with the start values: remove it here",
        );
        attributes.retain(|attribute| !attribute.path().is_ident("derive"));
    }
    Model {
        ident: syntax.item.ident,
        visibility: syntax.item.vis,
        generics: syntax.item.generics,
        const_params,
        about,
        fields,
        derive_clone: !derives.iter().any(|path| path.is_ident("Clone")),
        attributes,
        sound: errors.len() == 0,
    }
}

/// The part that `solver_statistics` asks for.
fn solver_statistics(asked: Span) -> Part {
    Part {
        common: Common {
            ident: Ident::new("statistics", asked),
            visibility: parse_quote!(pub),
            attributes: vec![parse_quote!(#[doc = "What the integrator of a co-simulation has done"])],
        },
        name: "statistics".to_owned(),
        element: parse_quote!(__fmu_runtime::cosim::SolverStatistics),
        length: None,
        default: None,
        connected: Vec::new(),
        sampled: None,
    }
}

/// The part that `solver_parameters` asks for.
fn solver_parameters(about: &About, asked: Span) -> Part {
    let element = quote!(__fmu_runtime::cosim::SolverParameters);
    let of = |name: &str, value: Option<TokenStream>| {
        let name = Ident::new(name, asked);
        value.map(|value| quote!(#name: #value,))
    };
    let method = about.solver.is_some();
    let method = method.then(|| quote!(<Self as __fmu_runtime::model::Describe>::about().solver));
    let (tolerance, max_step) = (&about.tolerance, &about.max_step);
    let max_internal_steps = about.max_internal_steps.as_ref();
    let values = [
        of("method", method),
        of("tolerance", tolerance.as_ref().map(|value| quote!(#value))),
        of("max_step", max_step.as_ref().map(|value| quote!(#value))),
        of(
            "max_internal_steps",
            max_internal_steps.map(|value| quote!((#value) as i32)),
        ),
    ];
    Part {
        common: Common {
            ident: Ident::new("solver", asked),
            visibility: parse_quote!(pub),
            attributes: vec![parse_quote!(#[doc = "How a co-simulation integrates"])],
        },
        name: "solver".to_owned(),
        element: parse_quote!(#element),
        length: None,
        default: Some(parse_quote!(#element { #(#values)* ..::core::default::Default::default() })),
        connected: Vec::new(),
        sampled: None,
    }
}

fn const_params(generics: &Generics, errors: &mut Errors) -> Vec<ConstParam> {
    let mut const_params = Vec::new();
    for param in &generics.params {
        let (what, instead) = match param {
            GenericParam::Const(param) => {
                const_params.push(param.clone());
                continue;
            }
            GenericParam::Type(_) => ("type parameters", "write the type itself"),
            GenericParam::Lifetime(_) => ("lifetimes", "let fields own their values"),
        };
        errors.on(
            param,
            format!("a model has no {what}: {instead}, or use const parameters (`const N: usize`)"),
        );
    }
    if let Some(clause) = &generics.where_clause {
        errors.on(clause, "a model has no `where` clause: remove it");
    }
    const_params
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
