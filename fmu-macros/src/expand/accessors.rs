//! Variables by slot: the `Structure` of a model.

use super::{flat, flat_mut, scalar};
use crate::ir::{Base, Field, Model, Variable};
use crate::role::Role;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

pub fn expand(model: &Model) -> TokenStream {
    let real = scalar();
    let (params, over) = (model.impl_params(), model.over_real());
    let (counts, bounds) = (counts(model), model.bounds());
    let get_real = by_slot(
        model,
        &[Base::Real],
        "reals",
        &|variable| {
            let (ident, flat) = (&variable.common.ident, flat_of(variable));
            if variable.ty.dimensions.is_empty() {
                quote!(return self.#ident;)
            } else {
                quote!(return #flat[slot - first];)
            }
        },
        "real",
        None,
    );
    let set_real = by_slot(
        model,
        &[Base::Real],
        "reals",
        &|variable| {
            let flat = flat_mut_of(variable);
            quote!({ #flat[slot - first] = value; return; })
        },
        "set_real",
        Some(quote!(value)),
    );
    let get_integer = by_slot(
        model,
        &[Base::Integer, Base::Enumeration],
        "integers",
        &|variable| {
            let flat = flat_of(variable);
            match variable.ty.base {
                Base::Integer => quote!(return #flat[slot - first];),
                _ => quote!(return __fmu_runtime::describe::Enumeration::value(#flat[slot - first]);),
            }
        },
        "integer",
        None,
    );
    let set_integer = by_slot(
        model,
        &[Base::Integer, Base::Enumeration],
        "integers",
        &|variable| {
            let flat = flat_mut_of(variable);
            match variable.ty.base {
                Base::Integer => quote!({ #flat[slot - first] = value; return true; }),
                _ => quote!({
                    let ::core::option::Option::Some(item) = __fmu_runtime::describe::Enumeration::from_value(value) else {
                        return false;
                    };
                    #flat[slot - first] = item;
                    return true;
                }),
            }
        },
        "set_integer",
        Some(quote!(value)),
    );
    let get_boolean = by_slot(
        model,
        &[Base::Boolean],
        "booleans",
        &|variable| {
            let flat = flat_of(variable);
            quote!(return #flat[slot - first];)
        },
        "boolean",
        None,
    );
    let set_boolean = by_slot(
        model,
        &[Base::Boolean],
        "booleans",
        &|variable| {
            let flat = flat_mut_of(variable);
            quote!({ #flat[slot - first] = value; return; })
        },
        "set_boolean",
        Some(quote!(value)),
    );
    let get_string = by_slot(
        model,
        &[Base::String],
        "strings",
        &|variable| {
            let flat = flat_of(variable);
            quote!(return &#flat[slot - first];)
        },
        "string",
        None,
    );
    let set_string = by_slot(
        model,
        &[Base::String],
        "strings",
        &|variable| {
            let flat = flat_mut_of(variable);
            quote!({ value.clone_into(&mut #flat[slot - first]); return; })
        },
        "set_string",
        Some(quote!(value)),
    );
    let (states, set_states) = copies(model, Role::State);
    let (unknowns, set_unknowns) = copies(model, Role::Implicit);
    let internal = |field: &Field| matches!(field, Field::Internal(internal) if !internal.fixed);
    let unbounded = model.variables().any(Variable::is_unbounded) || model.fields.iter().any(internal);
    let unbounded_parts = model.parts().map(|part| {
        let over = part.element_over(&quote!(#real));
        quote!(<#over as __fmu_runtime::model::Structure<#real>>::UNBOUNDED)
    });
    quote! {
        #[automatically_derived]
        #[allow(unused_mut, unused_variables, unused_assignments, clippy::all)]
        impl<#params> __fmu_runtime::model::Structure<#real> for #over where #(#bounds,)* {
            const COUNTS: __fmu_runtime::model::Counts = #counts;
            const UNBOUNDED: bool = #unbounded #(|| #unbounded_parts)*;
            #[inline]
            fn real(&self, slot: usize) -> #real { #get_real }
            #[inline]
            fn set_real(&mut self, slot: usize, value: #real) { #set_real }
            fn integer(&self, slot: usize) -> i32 { #get_integer }
            fn set_integer(&mut self, slot: usize, value: i32) -> bool { #set_integer }
            fn boolean(&self, slot: usize) -> bool { #get_boolean }
            fn set_boolean(&mut self, slot: usize, value: bool) { #set_boolean }
            fn string(&self, slot: usize) -> &str { #get_string }
            fn set_string(&mut self, slot: usize, value: &str) { #set_string }
            #[inline]
            fn states(&self, x: &mut [#real]) { #states }
            #[inline]
            fn set_states(&mut self, x: &[#real]) { #set_states }
            #[inline]
            fn unknowns(&self, x: &mut [#real]) { #unknowns }
            #[inline]
            fn set_unknowns(&mut self, x: &[#real]) { #set_unknowns }
        }
    }
}

fn flat_of(variable: &Variable) -> TokenStream {
    let ident = &variable.common.ident;
    flat(variable, &quote!(self.#ident))
}

fn flat_mut_of(variable: &Variable) -> TokenStream {
    let ident = &variable.common.ident;
    flat_mut(variable, &quote!(self.#ident))
}

fn counts(model: &Model) -> TokenStream {
    let real = scalar();
    let sum = |bases: &[Base]| {
        let lengths = model
            .variables()
            .filter(|variable| bases.contains(&variable.ty.base))
            .map(Variable::length);
        quote!(0 #(+ #lengths)*)
    };
    let (reals, integers) = (sum(&[Base::Real]), sum(&[Base::Integer, Base::Enumeration]));
    let (booleans, strings) = (sum(&[Base::Boolean]), sum(&[Base::String]));
    let of_role = |role: Role| {
        let lengths = model
            .variables()
            .filter(|variable| variable.role == role)
            .map(Variable::length);
        quote!(0 #(+ #lengths)*)
    };
    let (states, unknowns) = (of_role(Role::State), of_role(Role::Implicit));
    let parts = model.parts().map(|part| {
        let (ty, count) = (part.element_over(&quote!(#real)), part.count());
        quote!(.plus(<#ty as __fmu_runtime::model::Structure<#real>>::COUNTS.times(#count)))
    });
    quote! {
        __fmu_runtime::model::Counts {
            reals: #reals,
            integers: #integers,
            booleans: #booleans,
            strings: #strings,
            states: #states,
            unknowns: #unknowns,
        }
        #(#parts)*
    }
}

/// A chain of ranges: the body of an accessor. `value` is there when the accessor writes.
fn by_slot(
    model: &Model,
    bases: &[Base],
    count: &str,
    access: &dyn Fn(&Variable) -> TokenStream,
    method: &str,
    value: Option<TokenStream>,
) -> TokenStream {
    let real = scalar();
    let (count, method): (Ident, Ident) = (format_ident!("{count}"), format_ident!("{method}"));
    let ranges = model.fields.iter().map(|field| match field {
        Field::Variable(variable) if bases.contains(&variable.ty.base) => {
            let (length, access) = (variable.length(), access(variable));
            quote! {
                if slot < first + #length { #access }
                first += #length;
            }
        }
        Field::Part(part) => {
            let ty = part.element_over(&quote!(#real));
            let (parts, borrow) =
                if value.is_some() { (part.slice_mut(&quote!(self)), quote!(&mut)) } else { (part.slice(&quote!(self)), quote!(&)) };
            let value = value.iter();
            quote! {
                {
                    let each = <#ty as __fmu_runtime::model::Structure<#real>>::COUNTS.#count;
                    let parts = #parts;
                    let all = each * parts.len();
                    if slot < first + all {
                        let part = #borrow parts[(slot - first) / each];
                        return __fmu_runtime::model::Structure::<#real>::#method(part, (slot - first) % each #(, #value)*);
                    }
                    first += all;
                }
            }
        }
        _ => TokenStream::new(),
    });
    quote! {
        let mut first = 0usize;
        #(#ranges)*
        ::core::unreachable!("slot {slot} is beyond the variables of this type")
    }
}

/// Copies the variables of a role out of the model, and into it.
fn copies(model: &Model, role: Role) -> (TokenStream, TokenStream) {
    let name = match role {
        Role::Implicit => "unknowns",
        _ => "states",
    };
    let out = copy_all(
        model,
        role,
        &|variable| {
            let flat = flat_of(variable);
            match variable.ty.dimensions.len() {
                0 => {
                    let ident = &variable.common.ident;
                    quote!(x[first] = self.#ident;)
                }
                _ => quote!(x[first..first + length].copy_from_slice(#flat);),
            }
        },
        &|slice, _| slice,
        (name, name),
        quote!(&mut),
    );
    let into = copy_all(
        model,
        role,
        &|variable| {
            let flat = flat_mut_of(variable);
            match variable.ty.dimensions.len() {
                0 => {
                    let ident = &variable.common.ident;
                    quote!(self.#ident = x[first];)
                }
                _ => quote!(#flat.copy_from_slice(&x[first..first + length]);),
            }
        },
        &|_, slice_mut| slice_mut,
        (name, &format!("set_{name}")),
        quote!(&),
    );
    (out, into)
}

/// Walks over the variables of a role in order, own ones and those of parts; `names` are those of their count and of the
/// method.
fn copy_all(
    model: &Model,
    role: Role,
    own: &dyn Fn(&Variable) -> TokenStream,
    parts: &dyn Fn(TokenStream, TokenStream) -> TokenStream,
    (count, method): (&str, &str),
    borrow: TokenStream,
) -> TokenStream {
    let real = scalar();
    let (count, method) = (format_ident!("{count}"), format_ident!("{method}"));
    let steps = model.fields.iter().map(|field| match field {
        Field::Variable(variable) if variable.role == role => {
            let (length, copy) = (variable.length(), own(variable));
            quote!({ let length = #length; #copy first += length; })
        }
        Field::Part(part) => {
            let (ty, parts) = (
                part.element_over(&quote!(#real)),
                parts(part.slice(&quote!(self)), part.slice_mut(&quote!(self))),
            );
            quote! {
                for part in #parts {
                    let length = <#ty as __fmu_runtime::model::Structure<#real>>::COUNTS.#count;
                    __fmu_runtime::model::Structure::<#real>::#method(part, #borrow x[first..first + length]);
                    first += length;
                }
            }
        }
        _ => TokenStream::new(),
    });
    quote! {
        let mut first = 0usize;
        #(#steps)*
    }
}
