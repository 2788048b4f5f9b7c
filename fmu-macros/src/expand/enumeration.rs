//! `#[derive(Enumeration)]`.

use crate::errors::Errors;
use crate::parse::model::docs;
use crate::parse::options;
use crate::runtime::Runtime;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, Meta};

/// Items count from 1 as in Modelica, or have the values of their discriminants.
pub fn expand(input: DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let runtime = runtime(&input, &mut errors);
    runtime.resolve(expanded(&input, errors))
}

/// The path in `#[enumeration(crate = "...")]`.
fn runtime(input: &DeriveInput, errors: &mut Errors) -> Runtime {
    let mut found = Runtime::default();
    for attribute in &input.attrs {
        if let Meta::List(list) = &attribute.meta
            && list.path.is_ident("enumeration")
        {
            let items = options::parse(list.tokens.clone(), errors);
            found = Runtime::of_only_option(&items, "#[enumeration]", errors);
        }
    }
    found
}

fn expanded(input: &DeriveInput, mut errors: Errors) -> TokenStream {
    let ident = &input.ident;
    let Data::Enum(data) = &input.data else {
        errors.on(
            ident,
            format!(
                "the items of an FMI enumeration are the variants of an enum: write `enum {ident} {{ ... }}`"
            ),
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
    let mut items: Vec<(syn::Ident, i32, String, i32)> = Vec::new();
    let (mut next, mut explicit) = (1, false);
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
                    "the value of an item is an integer of 32 bits: write it as a number",
                ),
            }
        }
        // Two equal discriminants are rustc's to report; as long as none is written, Rust counts from 0, FMI from 1.
        explicit |= variant.discriminant.is_some();
        let discriminant = if explicit { next } else { next - 1 };
        if let Some((other, _, _, others)) = items.iter().find(|(_, value, ..)| *value == next)
            && discriminant != *others
        {
            errors.on(
                variant,
                format!(
                    "items count from 1, so `{other}` has the value {next} already: give `{}` another",
                    variant.ident
                ),
            );
        }
        items.push((variant.ident.clone(), next, docs(&variant.attrs), discriminant));
        next = next.wrapping_add(1);
    }
    let messages = errors.into_tokens();
    if !messages.is_empty() {
        // The stub keeps the error from multiplying at every use of the enum.
        let stub = stub(input);
        return quote!(#messages #stub);
    }
    let (name, description) = (ident.to_string(), docs(&input.attrs));
    let variants: Vec<_> = items.iter().map(|(variant, ..)| variant).collect();
    let values: Vec<_> = items.iter().map(|(_, value, ..)| value).collect();
    let entries = items.iter().map(|(variant, value, docs, _)| {
        let variant = variant.to_string();
        quote!((#variant, #value, #docs))
    });
    let first = variants[0];
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl __fmu_runtime::describe::Enumeration for #ident {
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
        impl __fmu_runtime::stored::Stored for #ident {
            fn store(&self, out: &mut __fmu_runtime::stored::Writer<'_>) {
                let value: i32 = match self { #(Self::#variants => #values,)* };
                __fmu_runtime::stored::Stored::store(&value, out);
            }
            fn load(
                from: &mut __fmu_runtime::stored::Reader<'_>,
            ) -> ::core::result::Result<Self, __fmu_runtime::stored::Damaged> {
                let value: i32 = __fmu_runtime::stored::Stored::load(from)?;
                match value {
                    #(#values => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(__fmu_runtime::stored::Damaged("an enumeration has no such item")),
                }
            }
        }

        #[automatically_derived]
        impl __fmu_runtime::describe::FieldValue for #ident {
            fn values(&self) -> (__fmu_runtime::describe::Values, ::std::vec::Vec<usize>) {
                // By reference: that an enum is not `Copy` is reported elsewhere.
                let value = match self { #(Self::#variants => #values,)* };
                (__fmu_runtime::describe::Values::Enumeration(::std::vec![value], #name), ::std::vec::Vec::new())
            }
            fn define_type(&self, describer: &mut __fmu_runtime::describe::Describer) {
                describer.define_type(__fmu_runtime::enumeration_type::<Self>());
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
        impl __fmu_runtime::describe::Enumeration for #ident {
            const NAME: &'static str = "";
            const DESCRIPTION: &'static str = "";
            const ITEMS: &'static [(&'static str, i32, &'static str)] = &[];
            const FIRST: Self = panic!();
            fn value(self) -> i32 { 0 }
            fn from_value(_: i32) -> ::core::option::Option<Self> { ::core::option::Option::None }
        }
        impl __fmu_runtime::describe::FieldValue for #ident {
            fn values(&self) -> (__fmu_runtime::describe::Values, ::std::vec::Vec<usize>) { ::core::unreachable!() }
        }
    }
}
