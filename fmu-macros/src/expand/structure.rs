//! The struct over every scalar, its start values, and how it is lifted to another scalar.

use super::scalar;
use crate::ir::{Base, Field, Model};
use crate::lift;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

pub fn expand(model: &Model) -> TokenStream {
    let definition = definition(model);
    let default = default(model);
    let lifting = lifting(model);
    quote!(#definition #default #lifting)
}

fn definition(model: &Model) -> TokenStream {
    let Model {
        ident,
        visibility,
        attributes,
        const_params,
        ..
    } = model;
    let real = scalar();
    let clone = model.derive_clone.then(|| quote!(#[derive(Clone)]));
    let fields = model.fields.iter().map(|field| {
        let (common, ty) = match field {
            Field::Variable(variable) => (&variable.common, lift::lift_type(&variable.ty.ty)),
            Field::Internal(internal) => {
                let ty = &internal.ty;
                (&internal.common, quote!(#ty))
            }
            Field::Part(part) => (&part.common, part.over(&quote!(#real))),
        };
        let (attributes, visibility, ident) = (&common.attributes, &common.visibility, &common.ident);
        quote!(#(#attributes)* #visibility #ident: #ty)
    });
    let phantom = phantom_field(model);
    let bounds = model.bounds();
    quote! {
        #(#attributes)*
        #clone
        #visibility struct #ident<#(#const_params,)* #real: __fmu_runtime::scalar::Scalar = f64>
        where
            #(#bounds,)*
        {
            #(#fields,)*
            #phantom
        }
    }
}

/// A struct without a single number still has the scalar as its parameter.
fn phantom_field(model: &Model) -> Option<TokenStream> {
    let real = scalar();
    (!mentions_scalar(model)).then(|| {
        quote! {
            #[doc(hidden)]
            pub scalar_: ::core::marker::PhantomData<#real>,
        }
    })
}

fn mentions_scalar(model: &Model) -> bool {
    model.fields.iter().any(|field| match field {
        Field::Variable(variable) => variable.ty.base == Base::Real,
        Field::Part(_) => true,
        Field::Internal(_) => false,
    })
}

fn default(model: &Model) -> TokenStream {
    let (params, over, bounds) = (model.const_params_bare(), model.over_f64(), model.bounds());
    let fields = model.fields.iter().map(|field| match field {
        Field::Variable(variable) => {
            let (ident, ty) = (&variable.common.ident, &variable.ty.ty);
            let value = match &variable.start {
                Some(start) => {
                    quote_spanned!(start.span()=> __fmu_runtime::start::Start::<#ty>::start(#start))
                }
                None => {
                    let (zero, element) = (zero(variable.ty.base), &variable.ty.element);
                    let zero = match variable.ty.base {
                        Base::Enumeration => {
                            quote_spanned!(element.span()=> <#element as __fmu_runtime::describe::Enumeration>::FIRST)
                        }
                        _ => zero,
                    };
                    quote!(__fmu_runtime::start::Start::<#ty>::start(#zero))
                }
            };
            quote!(#ident: #value)
        }
        Field::Internal(internal) => {
            let (ident, ty) = (&internal.common.ident, &internal.ty);
            let value = match &internal.default {
                Some(value) => quote!(#value),
                None => quote_spanned!(ty.span()=> <#ty as __fmu_runtime::bounds::Fresh>::fresh()),
            };
            quote!(#ident: #value)
        }
        Field::Part(part) => {
            let (ident, element) = (&part.common.ident, part.element_over(&quote!(f64)));
            let value = match (&part.default, &part.length) {
                (None, None) => quote!(<#element as ::core::default::Default>::default()),
                (Some(value), None) => quote!(#value),
                (None, Some(length)) => quote! {
                    ::core::array::from_fn::<_, { #length }, _>(|_| <#element as ::core::default::Default>::default())
                },
                (Some(value), Some(_)) => quote!(__fmu_runtime::start::Start::start(#value)),
            };
            quote!(#ident: #value)
        }
    });
    let phantom = (!mentions_scalar(model)).then(|| quote!(scalar_: ::core::marker::PhantomData,));
    quote! {
        #[automatically_derived]
        impl<#(#params),*> ::core::default::Default for #over where #(#bounds,)* {
            fn default() -> Self {
                Self { #(#fields,)* #phantom }
            }
        }
    }
}

fn zero(base: Base) -> TokenStream {
    match base {
        Base::Real => quote!(0.0f64),
        Base::Integer => quote!(0i32),
        Base::Boolean => quote!(false),
        Base::String | Base::Enumeration => quote!(""),
    }
}

fn lifting(model: &Model) -> TokenStream {
    let real = scalar();
    let (params, over_f64, over_real) = (model.const_params_bare(), model.over_f64(), model.over_real());
    let ident = &model.ident;
    let fields = model.fields.iter().map(|field| match field {
        Field::Variable(variable) => {
            let ident = &variable.common.ident;
            let constant = quote!(<#real as __fmu_runtime::scalar::Scalar>::constant);
            let value = match (variable.ty.base, variable.ty.dimensions.len()) {
                (Base::Real, 0) => quote!(#constant(self.#ident)),
                (Base::Real, 1) => quote!(self.#ident.map(#constant)),
                (Base::Real, _) => quote!(self.#ident.map(|row| row.map(#constant))),
                _ => quote!(::core::clone::Clone::clone(&self.#ident)),
            };
            quote!(#ident: #value)
        }
        Field::Internal(internal) => {
            let ident = &internal.common.ident;
            quote!(#ident: ::core::clone::Clone::clone(&self.#ident))
        }
        Field::Part(part) => {
            let ident = &part.common.ident;
            match part.length {
                None => quote!(#ident: __fmu_runtime::model::Lift::lift::<#real>(&self.#ident)),
                Some(_) => {
                    quote!(#ident: ::core::array::from_fn(|at| __fmu_runtime::model::Lift::lift::<#real>(&self.#ident[at])))
                }
            }
        }
    });
    let phantom = (!mentions_scalar(model)).then(|| quote!(scalar_: ::core::marker::PhantomData,));
    let values = model.fields.iter().map(lift_values);
    let bounds = model.bounds();
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<#(#params),*> __fmu_runtime::model::Lift for #over_f64 where #(#bounds,)* {
            type Of<#real: __fmu_runtime::scalar::Scalar> = #over_real;
            fn lift<#real: __fmu_runtime::scalar::Scalar>(&self) -> #over_real {
                #ident { #(#fields,)* #phantom }
            }
            #[allow(unused_variables)]
            fn lift_values<#real: __fmu_runtime::scalar::Scalar>(&self, target: &mut #over_real) {
                #(#values)*
            }
        }
    }
}

/// Copies the values of one field into a model that was lifted before.
fn lift_values(field: &Field) -> TokenStream {
    let real = scalar();
    match field {
        Field::Variable(variable) if variable.ty.base == Base::Real => {
            let ident = &variable.common.ident;
            let (from, to) = (
                super::flat(variable, &quote!(self.#ident)),
                super::flat_mut(variable, &quote!(target.#ident)),
            );
            quote! {
                for (to, from) in #to.iter_mut().zip(#from) {
                    *to = <#real as __fmu_runtime::scalar::Scalar>::constant(*from);
                }
            }
        }
        Field::Variable(variable) => {
            let ident = &variable.common.ident;
            quote!(::core::clone::Clone::clone_from(&mut target.#ident, &self.#ident);)
        }
        Field::Internal(_) => TokenStream::new(),
        Field::Part(part) => {
            let (from, to) = (part.slice(&quote!(self)), part.slice_mut(&quote!(target)));
            quote! {
                for (to, from) in #to.iter_mut().zip(#from) {
                    __fmu_runtime::model::Lift::lift_values::<#real>(from, to);
                }
            }
        }
    }
}
