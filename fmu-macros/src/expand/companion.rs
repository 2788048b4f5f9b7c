//! The macro beside the struct that knows its summary, and the question whether there are equations at all.

use super::groups::connection;
use crate::ir::{Base, Field, Model};
use crate::role::Role;
use crate::runtime::Runtime;
use crate::summary::{FieldSummary, ModelSummary, State};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Item;
use syn::spanned::Spanned;

/// The macro with the name of the model, and a check that `#[equations]` is there.
pub fn expand(model: &Model) -> TokenStream {
    let state = match model.sound {
        true => State::Sound,
        false if super::stubs::has_const_params_only(model) => State::Broken,
        false => State::Absent,
    };
    let consts = model
        .const_params
        .iter()
        .cloned()
        .map(|mut param| {
            param.eq_token = None;
            param.default = None;
            param
        })
        .collect();
    let companion = companion(&ModelSummary {
        runtime: model.about.runtime.clone(),
        ident: model.ident.clone(),
        state,
        consts,
        bounds: if model.sound { model.bounds() } else { Vec::new() },
        part_bounds: if model.sound {
            model.part_bounds()
        } else {
            Vec::new()
        },
        fields: fields(model),
    });
    let check = model.sound.then(|| check(model));
    quote!(#companion #check)
}

/// An item that cannot be a model: it stays as it is, and its equations vanish.
pub fn no_model(item: &Item) -> TokenStream {
    let ident = match item {
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return quote!(#item),
    };
    let companion = companion(&ModelSummary {
        runtime: Runtime::default(),
        ident: ident.clone(),
        state: State::Absent,
        consts: Vec::new(),
        bounds: Vec::new(),
        part_bounds: Vec::new(),
        fields: Vec::new(),
    });
    let describe = super::stubs::describe(&quote!(), &quote!(#ident));
    quote!(#item #companion #describe)
}

fn companion(summary: &ModelSummary) -> TokenStream {
    let ident = &summary.ident;
    let name = format_ident!("__fmu_model_{ident}");
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #name {
            ($($item:tt)*) => { __fmu_runtime::equations_of! { #summary $($item)* } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #name as #ident;
    }
}

fn fields(model: &Model) -> Vec<FieldSummary> {
    let mut fields = Vec::new();
    for field in &model.fields {
        let ident = field.common().ident.clone();
        let plain = |role| FieldSummary {
            ident: ident.clone(),
            role,
            number: false,
            initial: false,
            real: false,
            integer: false,
            unbounded: false,
            fixed: false,
        };
        match field {
            Field::Variable(variable) => fields.push(FieldSummary {
                ident,
                role: variable.role,
                number: variable.ty.base == Base::Real && variable.ty.dimensions.is_empty(),
                initial: variable.initial_equation,
                real: variable.ty.base == Base::Real,
                integer: variable.ty.base == Base::Integer,
                unbounded: variable.is_unbounded(),
                fixed: false,
            }),
            Field::Internal(internal) => fields.push(FieldSummary {
                fixed: internal.fixed,
                ..plain(Role::Internal)
            }),
            Field::Part(part) => {
                fields.push(plain(Role::Part));
                fields.extend(part.connected.iter().map(|input| FieldSummary {
                    ident: connection(&part.common.ident, input),
                    role: Role::Connection,
                    number: part.length.is_none(),
                    initial: false,
                    real: true,
                    integer: false,
                    unbounded: false,
                    fixed: false,
                }));
            }
        }
    }
    fields
}

/// What all impls take for granted, asked once and at the author's tokens: that the types of the fields are what they
/// must be, and that there are equations.
fn check(model: &Model) -> TokenStream {
    let (params, over, bounds) = (model.const_params_bare(), model.named(), model.bounds());
    let mut of_types: Vec<TokenStream> = Vec::new();
    let mut asked: Vec<String> = Vec::new();
    for field in &model.fields {
        let (ty, question) = match field {
            Field::Variable(variable) if variable.ty.base == Base::Enumeration => {
                let ty = &variable.ty.element;
                (ty, quote_spanned!(ty.span()=> is_enumeration::<#ty>();))
            }
            Field::Variable(_) => continue,
            Field::Part(part) => {
                let ty = &part.element;
                let lifted = quote_spanned!(ty.span()=> <#ty as __fmu_runtime::model::Lift>::Of<f64>);
                (
                    ty,
                    quote!(let _: ::core::option::Option<&#lifted> = ::core::option::Option::None;),
                )
            }
            Field::Internal(internal) => {
                let ty = &internal.ty;
                let question = quote_spanned! {ty.span()=>
                    let () = <__fmu_runtime::bounds::Snapshot as __fmu_runtime::bounds::Holds<#ty>>::ASKED;
                    let () = <#ty as __fmu_runtime::bounds::Sendable>::ASKED;
                };
                (ty, question)
            }
        };
        // Several fields of one type that lacks something are one mistake.
        let name = quote!(#ty).to_string();
        if !asked.contains(&name) {
            asked.push(name);
            of_types.push(question);
        }
    }
    let of_parts = model.part_bounds();
    let of_equations = quote_spanned!(model.ident.span()=> has_equations::<#over>());
    quote! {
        #[allow(dead_code)]
        const _: () = {
            const fn is_enumeration<E: __fmu_runtime::describe::Enumeration>() {}
            const fn types<#(#params),*>() {
                #(#of_types)*
            }
            const fn has_equations<M: __fmu_runtime::model::Model>() {}
            const fn equations<#(#params),*>() where #(#bounds,)* #(#of_parts,)* {
                #of_equations
            }
        };
    }
}
