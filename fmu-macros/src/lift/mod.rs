//! From `f64` code to code over any scalar: `f64` in types becomes a type parameter, float literals and constants
//! become values of it, and the rest of the body stays as the author wrote it.

mod body;
mod bound_names;
mod macros;

use crate::errors::Errors;
use crate::expand::{reference_bound_of, scalar};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{GenericParam, ImplItemFn, ItemFn, PathArguments, Signature, Type, parse_quote};

/// The type parameter that stands for `f64` in lifted code.
///
/// Its name is a message. Code that only takes an `f64` (someone else's function, a method that no scalar has) is
/// refused by rustc, at the right token, in sentences such as "expected `f64`, found type parameter `...`", which no
/// macro can reword. So the name says which two ways lead on.
pub fn number() -> Ident {
    Ident::new("Real_not_f64__see_opaque_and_differentiable", Span::mixed_site())
}

/// `f64` becomes `Real`, wherever it stands in the type of a field.
pub fn lift_type(ty: &Type) -> TokenStream {
    let mut ty = ty.clone();
    body::Types(scalar()).visit_type_mut(&mut ty);
    ty.into_token_stream()
}

/// `Pipe<3>` becomes `Pipe<3, Real>`.
pub fn append_scalar(ty: &Type, scalar: &TokenStream) -> TokenStream {
    let Type::Path(path) = ty else { return quote!(#ty) };
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.push(parse_quote!(#scalar)),
            other => *other = PathArguments::AngleBracketed(parse_quote!(<#scalar>)),
        }
    }
    path.into_token_stream()
}

/// Lifts a method whose impl has the scalar as a parameter.
pub fn lift_method(method: &mut ImplItemFn, errors: &mut Errors) {
    body::Types(number()).visit_signature_mut(&mut method.sig);
    body::lift_block(&mut method.block, &method.sig, errors);
}

/// Lifts a free function, which gets the scalar as a parameter of its own.
pub fn lift_function(function: &mut ItemFn, errors: &mut Errors) {
    if !mentions_f64(&function.sig) {
        return;
    }
    let number = number();
    let bound = reference_bound_of(&number);
    body::Types(number.clone()).visit_signature_mut(&mut function.sig);
    body::lift_block(&mut function.block, &function.sig, errors);
    function.sig.generics.params.push(GenericParam::Type(
        parse_quote!(#number: ::fmu_runtime::scalar::Scalar),
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
    body::Types(number()).visit_signature_mut(&mut lifted);
    lifted != *signature
}
