//! From `f64` code to code over any scalar: `f64` in types becomes a type parameter, float literals and constants
//! become values of it, and the rest of the body stays as the author wrote it.

mod body;
mod bound_names;
mod calls;
mod constants;
mod macros;
mod types;

use crate::errors::Errors;
use crate::expand::{reference_bound_of, scalar};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    GenericParam, Generics, ImplItemFn, ItemFn, PathArguments, Signature, Type, parse_quote,
    parse_quote_spanned,
};
use types::Types;

/// The type parameter that stands for `f64` in lifted code.
///
/// Its name is a message. Code that only takes an `f64` (someone else's function, a method that no scalar has) is
/// refused by rustc, at the right token, in sentences such as "expected `f64`, found type parameter `...`", which no
/// macro can reword. So the name lists the possible remedies: `#[equations]` on the impl of a method of the model,
/// `#[differentiable]` on a function, `opaque` for what is not the author's to change.
pub fn number() -> Ident {
    Ident::new(
        "Real_not_f64__see_equations_differentiable_opaque",
        Span::mixed_site(),
    )
}

/// The same, at a place in the author's code.
pub fn number_at(span: Span) -> Ident {
    types::at(&number(), span)
}

/// `f64` becomes `Real`, wherever it stands in the type of a field.
pub fn lift_type(ty: &Type) -> TokenStream {
    let mut ty = ty.clone();
    Types(scalar()).visit_type_mut(&mut ty);
    ty.into_token_stream()
}

/// `Pipe<3>` becomes `Pipe<3, Real>`.
pub fn append_scalar(ty: &Type, scalar: &TokenStream) -> TokenStream {
    let Type::Path(path) = ty else { return quote!(#ty) };
    let (mut path, span) = (path.clone(), path.span());
    if let Some(last) = path.path.segments.last_mut() {
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.push(parse_quote_spanned!(span=> #scalar));
            }
            other => *other = PathArguments::AngleBracketed(parse_quote_spanned!(span=> <#scalar>)),
        }
    }
    path.into_token_stream()
}

/// The names of fields of the model, as far as bodies have to distinguish them.
#[derive(Default)]
pub struct Fields {
    /// Those that are not variables and keep their types.
    pub internal: HashSet<String>,
    /// Those that are numbers.
    pub numbers: HashSet<String>,
}

/// Lifts a method whose impl, with these generics, has the scalar as a parameter.
pub fn lift_method(method: &mut ImplItemFn, of_impl: &Generics, fields: &Fields, errors: &mut Errors) {
    let before = errors.len();
    // A constant parameter of the impl is as good as one of the method: never a float. Left as it is, it lets the
    // optimizer do away with more bounds checks.
    let mut signature = method.sig.clone();
    let constants = of_impl.const_params().cloned().map(GenericParam::Const);
    signature.generics.params.extend(constants);
    body::lift_block(&mut method.block, &signature, fields, errors);
    Types(number()).visit_signature_mut(&mut method.sig);
    if errors.len() > before {
        // What stands for a mistake may be unused or unreachable.
        method.attrs.push(parse_quote!(#[allow(warnings)]));
    }
}

/// Lifts a free function, which gets the scalar as a parameter of its own.
pub fn lift_function(function: &mut ItemFn, errors: &mut Errors) {
    if !mentions_f64(&function.sig) {
        return;
    }
    let number = number_at(function.sig.ident.span());
    let bound = reference_bound_of(&number);
    body::lift_block(&mut function.block, &function.sig, &Fields::default(), errors);
    Types(number.clone()).visit_signature_mut(&mut function.sig);
    function.sig.generics.params.push(GenericParam::Type(
        parse_quote!(#number: __fmu_runtime::scalar::Scalar),
    ));
    function
        .sig
        .generics
        .make_where_clause()
        .predicates
        .push(parse_quote!(#bound));
}

fn mentions_f64(signature: &Signature) -> bool {
    let mut lifted = signature.clone();
    Types(number()).visit_signature_mut(&mut lifted);
    lifted != *signature
}
