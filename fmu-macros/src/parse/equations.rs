//! The impl behind `#[equations]`: which of a model's functions are there, with which shape.

use crate::errors::{Errors, suggestion};
use syn::{Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, PathArguments, ReturnType, Type};

/// A function that a model may have: its name and how to write it.
pub struct ModelFunction {
    pub name: &'static str,
    pub signature: &'static str,
    /// Takes the time or event, beside `self`.
    pub argument: bool,
    pub mutable: bool,
    /// Runs over every scalar.
    pub continuous: bool,
}

const fn function(
    name: &'static str,
    signature: &'static str,
    argument: bool,
    mutable: bool,
    continuous: bool,
) -> ModelFunction {
    ModelFunction {
        name,
        signature,
        argument,
        mutable,
        continuous,
    }
}

/// All functions of `impl Model for ...`.
pub const FUNCTIONS: &[ModelFunction] = &[
    function(
        "calculated",
        "fn calculated(&self) -> Calculated<Self>",
        false,
        false,
        true,
    ),
    function(
        "initial",
        "fn initial(&self, t: f64) -> Initial<Self>",
        true,
        false,
        true,
    ),
    function(
        "connections",
        "fn connections(&self, t: f64) -> Connections<Self>",
        true,
        false,
        true,
    ),
    function(
        "locals",
        "fn locals(&self, t: f64) -> Locals<Self>",
        true,
        false,
        true,
    ),
    function(
        "derivatives",
        "fn derivatives(&self, t: f64) -> Derivatives<Self>",
        true,
        false,
        true,
    ),
    function(
        "outputs",
        "fn outputs(&self, t: f64) -> Outputs<Self>",
        true,
        false,
        true,
    ),
    function(
        "event_indicators",
        "fn event_indicators(&self, t: f64) -> [f64; 1]",
        true,
        false,
        true,
    ),
    function("event", "fn event(&mut self, at: Event)", true, true, false),
    function(
        "next_event_time",
        "fn next_event_time(&self, t: f64) -> Option<f64>",
        true,
        false,
        false,
    ),
    function(
        "completed_step",
        "fn completed_step(&mut self, t: f64) -> bool",
        true,
        true,
        false,
    ),
    function(
        "instantiate",
        "fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError>",
        true,
        true,
        false,
    ),
];

/// What `#[equations]` stands on.
pub enum EquationsSyntax {
    /// `impl Model for X`.
    Model {
        item: ItemImpl,
        functions: Vec<(&'static ModelFunction, ImplItemFn)>,
        indicators: Option<Expr>,
    },
    /// `impl X`: helper methods.
    Helpers(ItemImpl),
}

/// Reads the impl; what does not belong is reported and left out.
pub fn parse(item: ItemImpl, errors: &mut Errors) -> Option<EquationsSyntax> {
    let Some((_, path, _)) = &item.trait_ else {
        return Some(EquationsSyntax::Helpers(item));
    };
    if path
        .segments
        .last()
        .is_none_or(|segment| segment.ident != "Model")
    {
        errors.on(
            path,
            "`#[equations]` belongs on `impl Model for ...` or on an impl of helper methods",
        );
        return None;
    }
    let mut functions: Vec<(&'static ModelFunction, ImplItemFn)> = Vec::new();
    let mut indicators = None;
    for entry in &item.items {
        let ImplItem::Fn(method) = entry else {
            errors.on(
                entry,
                "only functions here: put constants and types into an `impl` of their own",
            );
            continue;
        };
        let name = method.sig.ident.to_string();
        let Some(known) = FUNCTIONS.iter().find(|function| function.name == name) else {
            let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            errors.at(
                method.sig.ident.span(),
                format!(
                    "a model has no function `{name}`: {}; helper methods go into `#[equations] impl ... {{ }}` \
                     without `Model for`",
                    suggestion(&name, &names)
                ),
            );
            continue;
        };
        if functions.iter().any(|(function, _)| function.name == name) {
            errors.at(
                method.sig.ident.span(),
                format!("`fn {name}` is there already: keep one"),
            );
            continue;
        }
        if !has_shape(known, method) {
            errors.on(&method.sig, format!("write `{}`", known.signature));
            continue;
        }
        if known.name == "event_indicators" {
            indicators = array_length(&method.sig.output);
            if indicators.is_none() {
                errors.on(
                    &method.sig.output,
                    "the number of indicators is part of the type: return `[f64; 1]`",
                );
                continue;
            }
        }
        functions.push((known, method.clone()));
    }
    Some(EquationsSyntax::Model {
        item,
        functions,
        indicators,
    })
}

fn has_shape(known: &ModelFunction, method: &ImplItemFn) -> bool {
    let receiver = match method.sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => {
            receiver.reference.is_some() && receiver.mutability.is_some() == known.mutable
        }
        _ => false,
    };
    let returns = method.sig.output != ReturnType::Default;
    receiver
        && method.sig.inputs.len() == 1 + usize::from(known.argument)
        && method.sig.generics.params.is_empty()
        && (returns || known.name == "event")
}

/// The length of `[f64; N]`, also inside a `Result`.
fn array_length(output: &ReturnType) -> Option<Expr> {
    fn of_type(ty: &Type) -> Option<Expr> {
        match ty {
            Type::Array(array) => Some(array.len.clone()),
            Type::Path(path) => {
                let last = path.path.segments.last()?;
                let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                    return None;
                };
                match arguments.args.first()? {
                    syn::GenericArgument::Type(ty) if last.ident == "Result" => of_type(ty),
                    _ => None,
                }
            }
            _ => None,
        }
    }
    match output {
        ReturnType::Type(_, ty) => of_type(ty),
        ReturnType::Default => None,
    }
}
