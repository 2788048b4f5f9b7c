//! `#[model]`, `#[equations]`, `#[differentiable]`, `#[derive(Enumeration)]` and `export_fmu!`.
//!
//! The folders follow the flow: *parse* (syntax to our own structs), *ir* (everything resolved and checked), *expand*
//! (tokens); *lift* turns `f64` code into code over any scalar. Mistakes are collected and reported
//! together, and what can be understood is still expanded, so that one mistake is one message.

mod decisions;
mod errors;
mod expand;
mod ir;
mod lift;
mod parse;
mod role;
mod runtime;
mod summary;

use errors::Errors;
use proc_macro::TokenStream;
use quote::quote;
use runtime::Runtime;
use syn::parse_macro_input;

/// Turns a struct into a model: every field with a role becomes a variable of the FMU.
///
/// See the documentation of `fmu_runtime` for the roles and their options. `#[model(crate = "...")]` names the runtime
/// where Cargo.toml has renamed it; `#[equations]` learns it from there.
#[proc_macro_attribute]
pub fn model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = parse_macro_input!(item as syn::Item);
    let (expanded, runtime) = match parse::model::parse(attribute.into(), item, &mut errors) {
        Ok(syntax) => {
            let model = ir::resolve(syntax, &mut errors);
            (expand::model(&model), model.about.runtime)
        }
        Err(item) => (expand::no_model(&item), Runtime::default()),
    };
    let messages = errors.into_tokens();
    runtime.resolve(quote!(#messages #expanded)).into()
}

/// On `impl Model for X`: the equations of a model. On `impl X`: helper methods that equations may call.
///
/// The author writes `f64`; the continuous functions also run over dual numbers and other scalars.
#[proc_macro_attribute]
pub fn equations(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if !attribute.is_empty() {
        errors.on(
            proc_macro2::TokenStream::from(attribute),
            "`#[equations]` has no options: write it alone",
        );
    }
    let item = parse_macro_input!(item as syn::Item);
    let expanded = parse::equations::forward(item, &mut errors);
    let messages = errors.into_tokens();
    quote!(#messages #expanded).into()
}

/// What `#[equations]` becomes once the model has added its summary.
#[doc(hidden)]
#[proc_macro]
pub fn equations_of(input: TokenStream) -> TokenStream {
    let parse::equations::WithSummary { summary, item } = parse_macro_input!(input);
    let mut errors = Errors::default();
    let expanded = ir::equations::resolve(item, &summary, &mut errors)
        .map(|equations| expand::equations::expand(equations, &mut errors));
    let messages = errors.into_tokens();
    summary.runtime.resolve(quote!(#messages #expanded)).into()
}

/// Lets equations call a free function: it runs over every scalar, and over `f64` as before.
///
/// `#[differentiable(crate = "...")]` names the runtime where Cargo.toml has renamed it.
#[proc_macro_attribute]
pub fn differentiable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = parse::options::parse(attribute.into(), &mut errors);
    let runtime = Runtime::of_only_option(&options, "#[differentiable]", &mut errors);
    let expanded = match parse_macro_input!(item as syn::Item) {
        syn::Item::Fn(mut function) => {
            lift::lift_function(&mut function, &mut errors);
            quote!(#function)
        }
        other => {
            errors.at(
                proc_macro2::Span::call_site(),
                "`#[differentiable]` belongs on a free function: methods go into `#[equations] impl ... { }`",
            );
            quote!(#other)
        }
    };
    let messages = errors.into_tokens();
    runtime.resolve(quote!(#messages #expanded)).into()
}

/// Makes an enum of unit variants an FMI enumeration. It also needs `Clone` and `Copy`.
///
/// `#[enumeration(crate = "...")]` on the enum names the runtime where Cargo.toml has renamed it.
#[proc_macro_derive(Enumeration, attributes(enumeration))]
pub fn enumeration(item: TokenStream) -> TokenStream {
    match syn::parse(item) {
        Ok(input) => expand::enumeration::expand(input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// Makes models the FMUs of this crate: `export_fmu!(BouncingBall);`, once per crate.
///
/// Several models stand in one list, `export_fmu!(Wheel, Chassis);`, and in the crate's Cargo.toml:
/// `[package.metadata.fmu] models = ["Wheel", "Chassis"]`. Each becomes an FMU of its own.
///
/// `export_fmu!(crate = "...", Wheel)` names the runtime where Cargo.toml has renamed it.
#[proc_macro]
pub fn export_fmu(item: TokenStream) -> TokenStream {
    let exported = parse_macro_input!(item as expand::export::Exported);
    let expanded = expand::export::expand(&exported);
    exported.runtime.resolve(expanded).into()
}
