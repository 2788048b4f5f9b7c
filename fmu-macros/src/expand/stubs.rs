//! What is left of a struct with mistakes: enough for the rest of the program to compile, so that only the mistakes
//! are reported.

use super::{groups, reference_bound, scalar};
use crate::ir::{Field, Model};
use crate::lift;
use proc_macro2::TokenStream;
use quote::quote;
use syn::GenericParam;

/// The struct with the author's fields, and all traits of a model without any behaviour.
pub fn expand(model: &Model) -> TokenStream {
    let Model {
        ident,
        visibility,
        attributes,
        generics,
        ..
    } = model;
    let (real, own) = (scalar(), generics.params.iter());
    let mut over_scalar = false;
    let mut fields = Vec::new();
    for field in &model.fields {
        let (ty, lifted) = match field {
            Field::Variable(variable) => (&variable.ty.ty, lift::lift_type(&variable.ty.ty)),
            Field::Internal(internal) => (&internal.ty, lift::lift_type(&internal.ty)),
            Field::Part(part) => (&part.element, part.over(&quote!(#real))),
        };
        over_scalar |= quote!(#ty).to_string() != lifted.to_string();
        let common = field.common();
        let (attributes, visibility, ident) = (&common.attributes, &common.visibility, &common.ident);
        fields.push(quote!(#(#attributes)* #visibility #ident: #lifted));
    }
    let phantom = (!over_scalar).then(|| {
        quote! {
            #[doc(hidden)]
            pub scalar_: ::core::marker::PhantomData<#real>,
        }
    });
    let definition = quote! {
        #(#attributes)*
        #[allow(dead_code)]
        #visibility struct #ident<#(#own,)* #real: __fmu_runtime::scalar::Scalar = f64> {
            #(#fields,)*
            #phantom
        }
    };
    if !has_const_params_only(model) {
        return definition;
    }
    let (params, over_f64) = (model.const_params_bare(), model.over_f64());
    let describe = describe(&quote!(#(#params),*), &over_f64);
    let (groups, traits) = (groups::expand(model), traits(model));
    quote!(#definition #groups #describe #traits)
}

/// With other parameters the type over another scalar is not known.
pub fn has_const_params_only(model: &Model) -> bool {
    let mut params = model.generics.params.iter();
    params.all(|param| matches!(param, GenericParam::Const(_)))
}

/// `Describe`, by which `export_fmu!` knows a model.
pub fn describe(params: &TokenStream, ty: &TokenStream) -> TokenStream {
    quote! {
        impl<#params> __fmu_runtime::model::Describe for #ty {
            fn describe(&self, _: &mut __fmu_runtime::describe::Describer) {}
            fn about() -> __fmu_runtime::model::About { ::core::default::Default::default() }
        }
    }
}

fn traits(model: &Model) -> TokenStream {
    let real = scalar();
    let (params, over_f64, over_real) = (model.const_params_bare(), model.over_f64(), model.over_real());
    let (scalar_params, bound) = (model.impl_params(), reference_bound());
    let clone = model.derive_clone.then(|| {
        quote! {
            impl<#scalar_params> ::core::clone::Clone for #over_real {
                fn clone(&self) -> Self { ::core::unreachable!() }
            }
        }
    });
    let result = quote!(::core::result::Result<(), __fmu_runtime::ModelError>);
    let part_equations = super::equations::part_equations(&over_real);
    quote! {
        #clone
        impl<#(#params),*> ::core::default::Default for #over_f64 {
            fn default() -> Self { ::core::unreachable!() }
        }
        impl<#scalar_params> __fmu_runtime::model::Structure<#real> for #over_real {
            const COUNTS: __fmu_runtime::model::Counts = __fmu_runtime::model::Counts {
                reals: 0, integers: 0, booleans: 0, strings: 0, states: 0, unknowns: 0,
            };
            fn real(&self, _: usize) -> #real { ::core::unreachable!() }
            fn set_real(&mut self, _: usize, _: #real) {}
            fn integer(&self, _: usize) -> i32 { 0 }
            fn set_integer(&mut self, _: usize, _: i32) -> bool { false }
            fn boolean(&self, _: usize) -> bool { false }
            fn set_boolean(&mut self, _: usize, _: bool) {}
            fn string(&self, _: usize) -> &str { "" }
            fn set_string(&mut self, _: usize, _: &str) {}
            fn states(&self, _: &mut [#real]) {}
            fn set_states(&mut self, _: &[#real]) {}
            fn unknowns(&self, _: &mut [#real]) {}
            fn set_unknowns(&mut self, _: &[#real]) {}
        }
        impl<#scalar_params> __fmu_runtime::model::Equations<#real> for #over_real where #bound {
            const EVENT_INDICATORS: usize = 0;
            const HAS_INITIAL: bool = false;
            fn update_calculated(&mut self) -> #result { ::core::unreachable!() }
            fn update_initial(&mut self, _: #real) -> #result { ::core::unreachable!() }
            fn update_locals(&mut self, _: #real) -> #result { ::core::unreachable!() }
            fn update_outputs(&mut self, _: #real) -> #result { ::core::unreachable!() }
            fn eval_derivatives(&self, _: #real, _: &mut [#real]) -> #result { ::core::unreachable!() }
            fn eval_residuals(&self, _: #real, _: &mut [#real]) -> #result { ::core::unreachable!() }
            fn eval_event_indicators(&self, _: #real, _: &mut [#real]) -> #result { ::core::unreachable!() }
        }
        impl<#scalar_params> __fmu_runtime::model::Discrete for #over_real {
            const HAS_EVENT: bool = false;
            const HAS_TIME_EVENTS: bool = false;
            const HAS_COMPLETED_STEP: bool = false;
            const HAS_INSTANTIATE: bool = false;
            fn on_event(&mut self, _: __fmu_runtime::Event, _: &[u64]) -> ::core::result::Result<__fmu_runtime::Next, __fmu_runtime::ModelError> {
                ::core::unreachable!()
            }
            fn upcoming_event_time(&self, _: f64) -> ::core::result::Result<::core::option::Option<f64>, __fmu_runtime::ModelError> {
                ::core::unreachable!()
            }
            fn on_completed_step(&mut self, _: f64) -> ::core::result::Result<bool, __fmu_runtime::ModelError> {
                ::core::unreachable!()
            }
            fn on_instantiate(&mut self, _: &::std::path::Path) -> #result { ::core::unreachable!() }
        }
        impl<#(#params),*> __fmu_runtime::model::Lift for #over_f64 {
            type Of<#real: __fmu_runtime::scalar::Scalar> = #over_real;
            fn lift<#real: __fmu_runtime::scalar::Scalar>(&self) -> #over_real { ::core::unreachable!() }
            fn lift_values<#real: __fmu_runtime::scalar::Scalar>(&self, _: &mut #over_real) {}
        }
        impl<#(#params),*> __fmu_runtime::bounds::PartEquations for #over_f64 {
            #part_equations
        }
        impl<#(#params),*> __fmu_runtime::model::Model for #over_f64 {
            type Lifted<#real: __fmu_runtime::scalar::Scalar> = #over_real where #bound;
            fn lifted<#real: __fmu_runtime::scalar::Scalar>(&self) -> #over_real where #bound { ::core::unreachable!() }
            fn lift_values_into<#real: __fmu_runtime::scalar::Scalar>(&self, _: &mut #over_real) where #bound {}
        }
    }
}
