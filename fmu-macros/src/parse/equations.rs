//! What `#[equations]` stands on: the impl, and the functions that it may have.

use crate::errors::{Errors, closest};
use crate::summary::ModelSummary;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, FnArg, Ident, Item, ItemImpl, PathArguments, ReturnType, Signature, Type};

/// An impl behind the summary of its model.
pub struct WithSummary {
    pub summary: ModelSummary,
    pub item: ItemImpl,
}

impl Parse for WithSummary {
    fn parse(input: ParseStream) -> syn::Result<WithSummary> {
        Ok(WithSummary {
            summary: input.parse()?,
            item: input.parse()?,
        })
    }
}

/// Hands the impl to the macro with the model's name, which adds the summary. Any other item stays as it is.
pub fn forward(item: Item, errors: &mut Errors) -> TokenStream {
    let Item::Impl(mut item) = item else {
        errors.at(
            Span::call_site(),
            "`#[equations]` belongs on an impl: `#[equations] impl Model for ... { }`",
        );
        return item.into_token_stream();
    };
    if let Some((_, path, _)) = &mut item.trait_ {
        let name = path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        if name != "Model" {
            errors.on(
                &*path,
                "`#[equations]` belongs on `impl Model for ...`, or on an `impl` of helper methods",
            );
            if closest(&name, &["Model"]).is_none() {
                return item.into_token_stream();
            }
        }
    }
    let mut companion = match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => path.path.clone(),
        other => {
            errors.on(other, "write the name of a `#[model]` struct");
            return TokenStream::new();
        }
    };
    if let Some(last) = companion.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    quote!(#companion! { #item })
}

/// A function that a model may have.
pub struct ModelFunction {
    pub name: &'static str,
    /// How to write it.
    pub signature: &'static str,
    /// What it returns, as one word of the return type.
    pub returns: &'static str,
    /// Runs over every scalar.
    pub continuous: bool,
}

const fn continuous(name: &'static str, returns: &'static str, signature: &'static str) -> ModelFunction {
    ModelFunction {
        name,
        signature,
        returns,
        continuous: true,
    }
}

const fn discrete(name: &'static str, returns: &'static str, signature: &'static str) -> ModelFunction {
    ModelFunction {
        name,
        signature,
        returns,
        continuous: false,
    }
}

/// All functions of `impl Model for ...`, in the order in which they are evaluated.
pub const FUNCTIONS: &[ModelFunction] = &[
    continuous(
        "calculated",
        "Calculated",
        "fn calculated(&self) -> Calculated<Self>",
    ),
    continuous("initial", "Initial", "fn initial(&self, t: f64) -> Initial<Self>"),
    continuous(
        "connections",
        "Connections",
        "fn connections(&self, t: f64) -> Connections<Self>",
    ),
    continuous("locals", "Locals", "fn locals(&self, t: f64) -> Locals<Self>"),
    continuous(
        "derivatives",
        "Derivatives",
        "fn derivatives(&self, t: f64) -> Derivatives<Self>",
    ),
    continuous("outputs", "Outputs", "fn outputs(&self, t: f64) -> Outputs<Self>"),
    continuous(
        "residuals",
        "Residuals",
        "fn residuals(&self, t: f64) -> Residuals<Self>",
    ),
    continuous(
        "event_indicators",
        "f64",
        "fn event_indicators(&self, t: f64) -> [f64; 1]",
    ),
    discrete("event", "Next", "fn event(&mut self, at: Event)"),
    discrete(
        "next_event_time",
        "Option",
        "fn next_event_time(&self, t: f64) -> Option<f64>",
    ),
    discrete(
        "completed_step",
        "bool",
        "fn completed_step(&mut self, t: f64) -> bool",
    ),
    discrete(
        "instantiate",
        "Result",
        "fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError>",
    ),
];

impl ModelFunction {
    /// The signature as syntax.
    pub fn canonical(&self) -> syn::Result<Signature> {
        syn::parse_str(self.signature)
    }

    /// What is wrong with a signature: the tokens of the first difference from the canonical one.
    pub fn difference(&self, written: &Signature) -> Option<TokenStream> {
        let canonical = self.canonical().ok()?;
        let qualifiers = [
            written.constness.map(|token| token.to_token_stream()),
            written.asyncness.map(|token| token.to_token_stream()),
            written.unsafety.map(|token| token.to_token_stream()),
            written.abi.as_ref().map(|token| token.to_token_stream()),
        ];
        if let Some(qualifier) = qualifiers.into_iter().flatten().next() {
            return Some(qualifier);
        }
        if !written.generics.params.is_empty() {
            return Some(written.generics.to_token_stream());
        }
        if written.inputs.is_empty() {
            return Some(written.ident.to_token_stream());
        }
        let mut inputs = written.inputs.iter();
        for expected in &canonical.inputs {
            match inputs.next() {
                Some(input) if same_input(input, expected) => {}
                Some(input) => return Some(type_of(input)),
                None => return Some(written.inputs.to_token_stream()),
            }
        }
        if let Some(superfluous) = inputs.next() {
            return Some(superfluous.to_token_stream());
        }
        match &written.output {
            ReturnType::Default if self.returns == "Next" || self.returns == "Result" => None,
            ReturnType::Default => Some(written.ident.to_token_stream()),
            ReturnType::Type(_, ty) if self.returned_by(ty) => None,
            ReturnType::Type(_, ty) => Some(ty.to_token_stream()),
        }
    }

    /// Whether the return type alone is wrong.
    pub fn difference_is_output(&self, written: &Signature) -> bool {
        let mut mended = written.clone();
        if let Ok(canonical) = self.canonical() {
            mended.output = canonical.output;
        }
        self.difference(&mended).is_none()
    }

    /// Whether the type is what the function returns, or a `Result` of it under whatever name.
    fn returned_by(&self, ty: &Type) -> bool {
        let unit = |ty: &Type| matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty());
        match self.name {
            "event_indicators" => array_length(ty).is_some(),
            "event" => unit(ty) || mentions(ty, &["Next", "Result"]),
            "instantiate" => unit(ty) || mentions(ty, &["Result"]),
            _ => mentions(ty, &[self.returns]),
        }
    }
}

/// Whether one of the words occurs in the type; `BallDerivatives` counts as `Derivatives`.
fn mentions(ty: &Type, words: &[&str]) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.iter().any(|segment| {
        let name = segment.ident.to_string();
        words.iter().any(|word| name.ends_with(word))
            || matches!(&segment.arguments, PathArguments::AngleBracketed(arguments)
                if arguments.args.iter().any(|argument| matches!(argument,
                    syn::GenericArgument::Type(ty) if mentions(ty, words))))
    })
}

fn same_input(written: &FnArg, expected: &FnArg) -> bool {
    match (written, expected) {
        (FnArg::Receiver(written), FnArg::Receiver(expected)) => {
            written.reference.is_some() && written.mutability.is_some() == expected.mutability.is_some()
        }
        (FnArg::Typed(written), FnArg::Typed(expected)) => {
            last_word(&written.ty) == last_word(&expected.ty)
                && matches!(*written.ty, Type::Reference(_)) == matches!(*expected.ty, Type::Reference(_))
        }
        _ => false,
    }
}

fn type_of(input: &FnArg) -> TokenStream {
    match input {
        FnArg::Receiver(receiver) => receiver.to_token_stream(),
        FnArg::Typed(typed) => typed.ty.to_token_stream(),
    }
}

fn last_word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        Type::Reference(reference) => last_word(&reference.elem),
        _ => None,
    }
}

/// The length of `[f64; N]`, also inside a `Result`.
pub fn array_length(ty: &Type) -> Option<Expr> {
    match ty {
        Type::Array(array) => Some(array.len.clone()),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return None;
            };
            match arguments.args.first()? {
                syn::GenericArgument::Type(ty) if last.ident == "Result" => array_length(ty),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn function(name: &str) -> &'static ModelFunction {
        FUNCTIONS.iter().find(|function| function.name == name).unwrap()
    }

    #[test]
    fn canonical_signatures_are_accepted_by_themselves() {
        for function in FUNCTIONS {
            let difference = function.difference(&function.canonical().unwrap());
            assert!(difference.is_none(), "{}", function.name);
        }
    }

    #[test]
    fn results_and_other_spellings_are_accepted() {
        for (name, signature) in [
            (
                "derivatives",
                parse_quote!(fn derivatives(&self, _: f64) -> Result<Derivatives<Self>, ModelError>),
            ),
            (
                "derivatives",
                parse_quote!(fn derivatives(&self, t: f64) -> BallDerivatives),
            ),
            (
                "event",
                parse_quote!(fn event(&mut self, at: fmu_runtime::Event) -> Next),
            ),
            (
                "event_indicators",
                parse_quote!(fn event_indicators(&self, t: f64) -> Result<[f64; 2], ModelError>),
            ),
            (
                "instantiate",
                parse_quote!(fn instantiate(&mut self, resources: &std::path::Path)),
            ),
        ] {
            assert!(function(name).difference(&signature).is_none(), "{name}");
        }
    }

    #[test]
    fn the_first_difference_is_found() {
        for (name, signature, difference) in [
            (
                "derivatives",
                parse_quote!(fn derivatives(self, t: f64) -> Derivatives<Self>),
                "self",
            ),
            (
                "derivatives",
                parse_quote!(fn derivatives(&self, t: f32) -> Derivatives<Self>),
                "f32",
            ),
            (
                "derivatives",
                parse_quote!(fn derivatives(&self) -> Derivatives<Self>),
                "& self",
            ),
            (
                "derivatives",
                parse_quote!(fn derivatives(&self, t: f64) -> f64),
                "f64",
            ),
            ("event", parse_quote!(fn event(&self, at: Event)), "& self"),
            (
                "event",
                parse_quote!(fn event(&mut self, at: Event) -> bool),
                "bool",
            ),
            (
                "event_indicators",
                parse_quote!(fn event_indicators(&self, t: f64) -> Vec<f64>),
                "Vec < f64 >",
            ),
            (
                "calculated",
                parse_quote!(fn calculated(&self, t: f64) -> Calculated<Self>),
                "t : f64",
            ),
        ] {
            let found = function(name)
                .difference(&signature)
                .map(|tokens| tokens.to_string());
            assert_eq!(found.as_deref(), Some(difference));
        }
    }
}
