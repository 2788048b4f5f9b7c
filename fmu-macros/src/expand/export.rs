//! `export_fmu!(Model)`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::Type;
use syn::spanned::Spanned;

/// The C symbols exist only in what packaging builds (`--cfg fmu_export`). The exported macro makes a second
/// `export_fmu!` anywhere in the crate an error whose text says what is wrong.
pub fn expand(model: &Type) -> TokenStream {
    quote_spanned! {model.span()=>
        #[doc(hidden)]
        #[macro_export]
        macro_rules! only_one_export_fmu_per_crate_move_the_other_model_to_its_own_crate {
            () => {};
        }

        #[allow(unexpected_cfgs)]
        const _: () = {
            const fn is_a_model<M: ::fmu_runtime::model::Describe>() {}
            is_a_model::<#model>();

            #[cfg(fmu_export)]
            ::fmu_runtime::fmi2_entry_points!(#model);
        };
    }
}
