//! Internal fields as bytes: methods of `Describe`, for the FMU's serialized states.

use crate::ir::{Field, Model};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

/// Nothing where there is nothing internal: the trait's own methods do then.
pub fn methods(model: &Model) -> TokenStream {
    let mut names = Vec::new();
    let mut stores = Vec::new();
    let mut loads = Vec::new();
    for field in &model.fields {
        let ident = &field.common().ident;
        match field {
            Field::Variable(_) => {}
            // It comes from `fn instantiate`.
            Field::Internal(internal) if internal.fixed => {}
            Field::Internal(_) => {
                let name = ident.unraw().to_string();
                let keep = quote!(let keep = __fmu_runtime::stored::Keep::of(&self.#ident););
                names.push(quote! {
                    #keep
                    if !(&keep).is_stored() {
                        report(::std::format!("{prefix}{}", #name));
                    }
                });
                stores.push(quote!(#keep (&keep).store(&self.#ident, out);));
                loads.push(quote!(#keep (&keep).load(&mut self.#ident, from)?;));
            }
            Field::Part(part) => {
                let (parts, parts_mut) = (part.slice(&quote!(self)), part.slice_mut(&quote!(self)));
                let name = &part.name;
                names.push(quote! {
                    if let ::core::option::Option::Some(part) = #parts.first() {
                        __fmu_runtime::model::Describe::unstored(part, &::std::format!("{prefix}{}.", #name), report);
                    }
                });
                stores.push(quote! {
                    for part in #parts {
                        __fmu_runtime::model::Describe::store_internal(part, out);
                    }
                });
                loads.push(quote! {
                    for part in #parts_mut {
                        __fmu_runtime::model::Describe::load_internal(part, from)?;
                    }
                });
            }
        }
    }
    if names.is_empty() {
        return TokenStream::new();
    }
    let choice = quote! {
        #[allow(unused_imports)]
        use __fmu_runtime::stored::{ByBytes as _, ByNothing as _};
    };
    quote! {
        fn unstored(&self, prefix: &str, report: &mut dyn FnMut(::std::string::String)) {
            #choice
            #(#names)*
        }
        fn store_internal(&self, out: &mut __fmu_runtime::stored::Writer<'_>) {
            #choice
            #(#stores)*
        }
        fn load_internal(
            &mut self,
            from: &mut __fmu_runtime::stored::Reader<'_>,
        ) -> ::core::result::Result<(), __fmu_runtime::stored::Damaged> {
            #choice
            #(#loads)*
            ::core::result::Result::Ok(())
        }
    }
}
