//! `#[equations]`: the author's functions over every scalar, and the traits that call them.

use super::{reference_bound, scalar};
use crate::errors::Errors;
use crate::lift;
use crate::parse::equations::{EquationsSyntax, ModelFunction};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, ImplItem, ImplItemFn, ItemImpl, parse_quote};

pub fn expand(syntax: EquationsSyntax, errors: &mut Errors) -> TokenStream {
    match syntax {
        EquationsSyntax::Helpers(item) => helpers(item, errors),
        EquationsSyntax::Model {
            item,
            functions,
            indicators,
        } => model(&item, functions, indicators, errors),
    }
}

/// The impl over every scalar: generics, self type and where clause.
struct Header {
    impl_generics: TokenStream,
    over_real: TokenStream,
    where_clause: TokenStream,
}

fn header(item: &ItemImpl) -> Header {
    let (real, bound) = (scalar(), reference_bound());
    let params = item.generics.params.iter();
    let predicates = item
        .generics
        .where_clause
        .iter()
        .flat_map(|clause| clause.predicates.iter());
    Header {
        impl_generics: quote!(<#(#params,)* #real: ::fmu_runtime::scalar::Scalar>),
        over_real: lift::append_scalar(&item.self_ty, &quote!(#real)),
        where_clause: quote!(where #bound, #(#predicates,)*),
    }
}

fn helpers(mut item: ItemImpl, errors: &mut Errors) -> TokenStream {
    for entry in &mut item.items {
        if let ImplItem::Fn(method) = entry {
            lift::lift_method(method, errors);
        }
    }
    let Header {
        impl_generics,
        over_real,
        where_clause,
    } = header(&item);
    let (attributes, items) = (&item.attrs, &item.items);
    quote! {
        #(#attributes)*
        impl #impl_generics #over_real #where_clause {
            #(#items)*
        }
    }
}

fn model(
    item: &ItemImpl,
    functions: Vec<(&'static ModelFunction, ImplItemFn)>,
    indicators: Option<Expr>,
    errors: &mut Errors,
) -> TokenStream {
    let mut continuous = Vec::new();
    let mut discrete = Vec::new();
    let mut present = Vec::new();
    for (function, mut method) in functions {
        present.push(function.name);
        // Inherent methods, so that tests and other models call them by name.
        method.vis = parse_quote!(pub);
        if function.continuous {
            lift::lift_method(&mut method, errors);
            method.attrs.push(parse_quote!(#[inline]));
            continuous.push(method);
        } else {
            discrete.push(method);
        }
    }
    let Header {
        impl_generics,
        over_real,
        where_clause,
    } = header(item);
    let (plain_generics, over_f64) = (&item.generics, lift::append_scalar(&item.self_ty, &quote!(f64)));
    let (plain_impl, _, plain_where) = plain_generics.split_for_impl();
    let attributes = &item.attrs;
    let own_equations = own_equations(item.self_ty.span(), &present, indicators);
    let own_discrete = own_discrete(&present);
    let real = scalar();
    quote! {
        #[allow(missing_docs)]
        #(#attributes)*
        impl #impl_generics #over_real #where_clause {
            #(#continuous)*
        }

        #[allow(missing_docs)]
        #(#attributes)*
        impl #plain_impl #over_f64 #plain_where {
            #(#discrete)*
        }

        #[automatically_derived]
        impl #impl_generics ::fmu_runtime::model::OwnEquations<#real> for #over_real #where_clause {
            #own_equations
        }

        #[automatically_derived]
        impl #plain_impl ::fmu_runtime::model::OwnDiscrete for #over_f64 #plain_where {
            #own_discrete
        }
    }
}

/// A function that is missing becomes an empty struct of its group: rustc then names the variables without an
/// equation, at the model's name in the author's impl.
fn own_equations(place: Span, present: &[&str], indicators: Option<Expr>) -> TokenStream {
    let real = scalar();
    let groups = [
        ("calculated", "Calculated", false),
        ("initial", "Initial", true),
        ("connections", "Connections", true),
        ("locals", "Locals", true),
        ("derivatives", "Derivatives", true),
        ("outputs", "Outputs", true),
    ];
    let methods = groups.iter().map(|(function, group, timed)| {
        let own = format_ident!("own_{function}");
        let (function_ident, group) = (format_ident!("{function}"), format_ident!("{group}"));
        let (parameter, argument) = if *timed {
            (quote!(t: #real), quote!(t))
        } else {
            (quote!(), quote!())
        };
        let body = if present.contains(function) {
            quote!(::fmu_runtime::IntoResult::into_result(self.#function_ident(#argument)))
        } else {
            let group = Ident::new(&group.to_string(), place);
            let empty = quote_spanned!(place=> ::fmu_runtime::model::#group::<Self> {});
            quote!(::core::result::Result::Ok(#empty))
        };
        quote! {
            #[inline(always)]
            #[allow(unused_variables)]
            fn #own(&self, #parameter) -> ::core::result::Result<Self::#group, ::fmu_runtime::ModelError> {
                #body
            }
        }
    });
    let (count, body) = match indicators {
        Some(length) => (
            quote!(#length),
            quote! {
                let values: [#real; #length] = ::fmu_runtime::IntoResult::into_result(self.event_indicators(t))?;
                z.copy_from_slice(&values);
            },
        ),
        None => (quote!(0), quote!()),
    };
    quote! {
        const OWN_EVENT_INDICATORS: usize = #count;
        #(#methods)*
        #[inline(always)]
        #[allow(unused_variables)]
        fn own_event_indicators(&self, t: #real, z: &mut [#real]) -> ::core::result::Result<(), ::fmu_runtime::ModelError> {
            #body
            ::core::result::Result::Ok(())
        }
    }
}

fn own_discrete(present: &[&str]) -> TokenStream {
    let has = |name: &str| present.contains(&name);
    let [event, times, step, instantiate] =
        ["event", "next_event_time", "completed_step", "instantiate"].map(has);
    let call = |present: bool, call: TokenStream, otherwise: TokenStream| {
        if present {
            quote!(::fmu_runtime::IntoResult::into_result(self.#call))
        } else {
            quote!(::core::result::Result::Ok(#otherwise))
        }
    };
    let on_event = call(event, quote!(event(at)), quote!(::fmu_runtime::Next::Continue));
    let on_time = call(
        times,
        quote!(next_event_time(t)),
        quote!(::core::option::Option::None),
    );
    let on_step = call(step, quote!(completed_step(t)), quote!(false));
    let on_instantiate = call(instantiate, quote!(instantiate(resources)), quote!(()));
    quote! {
        const OWN_EVENT: bool = #event;
        const OWN_TIME_EVENTS: bool = #times;
        const OWN_COMPLETED_STEP: bool = #step;
        const OWN_INSTANTIATE: bool = #instantiate;
        #[allow(unused_variables)]
        fn own_event(&mut self, at: ::fmu_runtime::Event) -> ::core::result::Result<::fmu_runtime::Next, ::fmu_runtime::ModelError> {
            #on_event
        }
        #[allow(unused_variables)]
        fn own_next_event_time(&self, t: f64) -> ::core::result::Result<::core::option::Option<f64>, ::fmu_runtime::ModelError> {
            #on_time
        }
        #[allow(unused_variables)]
        fn own_completed_step(&mut self, t: f64) -> ::core::result::Result<bool, ::fmu_runtime::ModelError> {
            #on_step
        }
        #[allow(unused_variables)]
        fn own_instantiate(&mut self, resources: &::std::path::Path) -> ::core::result::Result<(), ::fmu_runtime::ModelError> {
            #on_instantiate
        }
    }
}
