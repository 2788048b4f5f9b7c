//! `#[derive(Enumeration)]`.

use crate::errors::Errors;
use crate::parse::model::docs;
use crate::parse::options;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields};

/// Items count from 1 as in Modelica, or as the discriminants say.
pub fn expand(input: DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let ident = &input.ident;
    let Data::Enum(data) = &input.data else {
        errors.on(
            ident,
            "`Enumeration` is for enums: its variants are the items of the FMI enumeration",
        );
        return errors.into_tokens();
    };
    if data.variants.is_empty() {
        errors.on(ident, "an FMI enumeration has at least one item: add a variant");
    }
    if !input.generics.params.is_empty() {
        errors.on(
            &input.generics,
            "an FMI enumeration has no generic parameters: remove them",
        );
    }
    let mut items: Vec<(syn::Ident, i32, String)> = Vec::new();
    let mut next = 1;
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.on(
                &variant.fields,
                "an item of an FMI enumeration carries no data: remove the fields",
            );
        }
        if let Some((_, discriminant)) = &variant.discriminant {
            match options::number(discriminant) {
                Some(value) if value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX) => {
                    next = value as i32
                }
                _ => errors.on(
                    discriminant,
                    "the value of an item is an integer literal that fits an i32",
                ),
            }
        }
        if let Some((other, ..)) = items.iter().find(|(_, value, _)| *value == next) {
            errors.on(
                variant,
                format!(
                    "`{}` has the value {next}, as `{other}` has: give it another",
                    variant.ident
                ),
            );
        }
        items.push((variant.ident.clone(), next, docs(&variant.attrs)));
        next = next.wrapping_add(1);
    }
    let messages = errors.into_tokens();
    if !messages.is_empty() {
        // The stub keeps the error from multiplying at every use of the enum.
        let stub = stub(&input);
        return quote!(#messages #stub);
    }
    let (name, description) = (ident.to_string(), docs(&input.attrs));
    let variants: Vec<_> = items.iter().map(|(variant, ..)| variant).collect();
    let values: Vec<_> = items.iter().map(|(_, value, _)| value).collect();
    let entries = items.iter().map(|(variant, value, docs)| {
        let variant = variant.to_string();
        quote!((#variant, #value, #docs))
    });
    let first = variants[0];
    quote! {
        #[automatically_derived]
        impl ::fmu_runtime::describe::Enumeration for #ident {
            const NAME: &'static str = #name;
            const DESCRIPTION: &'static str = #description;
            const ITEMS: &'static [(&'static str, i32, &'static str)] = &[#(#entries),*];
            const FIRST: Self = Self::#first;
            fn value(self) -> i32 {
                match self { #(Self::#variants => #values,)* }
            }
            fn from_value(value: i32) -> ::core::option::Option<Self> {
                match value {
                    #(#values => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        #[automatically_derived]
        impl ::fmu_runtime::describe::FieldValue for #ident {
            fn elements(
                &self,
                indices: &mut ::std::vec::Vec<usize>,
                element: &mut dyn FnMut(&[usize], ::fmu_runtime::describe::Value),
            ) {
                let value = ::fmu_runtime::describe::Enumeration::value(*self);
                element(indices, ::fmu_runtime::describe::Value::Enumeration(value, #name));
            }
            fn define_type(&self, describer: &mut ::fmu_runtime::describe::Describer) {
                describer.define_type(::fmu_runtime::describe::enumeration_type::<Self>());
            }
        }
    }
}

fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    quote! {
        impl ::fmu_runtime::describe::Enumeration for #ident {
            const NAME: &'static str = "";
            const DESCRIPTION: &'static str = "";
            const ITEMS: &'static [(&'static str, i32, &'static str)] = &[];
            const FIRST: Self = panic!();
            fn value(self) -> i32 { 0 }
            fn from_value(_: i32) -> ::core::option::Option<Self> { ::core::option::Option::None }
        }
        impl ::fmu_runtime::describe::FieldValue for #ident {
            fn elements(&self, _: &mut ::std::vec::Vec<usize>, _: &mut dyn FnMut(&[usize], ::fmu_runtime::describe::Value)) {}
        }
    }
}
