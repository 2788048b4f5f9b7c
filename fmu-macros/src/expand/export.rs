//! `export_fmu!(Model)`, `export_fmu!(Wheel, Chassis)`.

use crate::errors::Errors;
use crate::runtime::Runtime;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Token, Type};

/// The models that a crate exports.
pub struct Exported {
    pub runtime: Runtime,
    models: Vec<(String, Type)>,
}

impl Parse for Exported {
    fn parse(input: ParseStream<'_>) -> syn::Result<Exported> {
        let how = "write `export_fmu!(Model);` with the name of a model, or several between commas";
        let mut runtime = Runtime::default();
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            let mut errors = Errors::default();
            runtime = Runtime::of_option(&input.parse()?, &mut errors);
            errors.into_result()?;
            input.parse::<Token![,]>()?;
        }
        let types = Punctuated::<Type, Token![,]>::parse_terminated(input)
            .map_err(|error| syn::Error::new(error.span(), how))?;
        let mut models: Vec<(String, Type)> = Vec::new();
        for model in types {
            let last = match &model {
                Type::Path(path) => path.path.segments.last(),
                _ => None,
            };
            let Some(name) = last.map(|segment| segment.ident.to_string()) else {
                return Err(syn::Error::new(model.span(), how));
            };
            if models.iter().any(|(other, _)| *other == name) {
                let twice = format!(
                    "`{name}` is exported twice: keep one, since each FMU of a crate has a name of its own"
                );
                return Err(syn::Error::new(model.span(), twice));
            }
            models.push((name, model));
        }
        match models.is_empty() {
            true => Err(syn::Error::new(input.span(), how)),
            false => Ok(Exported { runtime, models }),
        }
    }
}

/// The C symbols exist only in what packaging builds (`--cfg fmu_export`), and a library has one set of them: of several
/// models it is the one that `--cfg fmu_export="Wheel"` names. `--cfg fmu_models="Wheel"` passes each name that Cargo.toml
/// lists, so that neither list can lack what the other has. The exported macro makes a second `export_fmu!` anywhere in the
/// crate an error whose text explains it.
pub fn expand(Exported { models, .. }: &Exported) -> TokenStream {
    let names: Vec<&String> = models.iter().map(|(name, _)| name).collect();
    let listed = format!("[package.metadata.fmu] models = {names:?}");
    let first = &models[0].1;
    let several = models.len() > 1;
    let unlisted = several.then(|| {
        let problem = format!("this crate exports several models; list them in its Cargo.toml: {listed}");
        quote_spanned!(first.span()=> #[cfg(all(fmu_export, not(fmu_models)))] ::core::compile_error!(#problem);)
    });
    let unknown = format!("Cargo.toml lists a model that is not exported here; it should say: {listed}");
    let exports = models.iter().map(|(name, model)| {
        let missing = format!("`{name}` is missing in Cargo.toml, which should say: {listed}");
        let chosen = match several {
            true => quote!(fmu_export = #name),
            false => quote!(any(not(fmu_models), fmu_export = #name)),
        };
        quote_spanned! {model.span()=>
            is_a_model::<#model>();

            #[cfg(all(fmu_export, fmu_models, not(fmu_models = #name)))]
            ::core::compile_error!(#missing);

            #[cfg(all(fmu_export, #chosen))]
            __fmu_runtime::entry_points!(#model);
        }
    });
    quote_spanned! {first.span()=>
        #[doc(hidden)]
        #[macro_export]
        macro_rules! only_one_export_fmu_per_crate_name_all_models_in_it {
            () => {};
        }

        #[allow(unexpected_cfgs)]
        const _: () = {
            const fn is_a_model<M: __fmu_runtime::model::Describe>() {}
            #unlisted
            #[cfg(all(fmu_export, fmu_models, not(any(#(fmu_export = #names),*))))]
            ::core::compile_error!(#unknown);
            #(#exports)*
        };
    }
}
