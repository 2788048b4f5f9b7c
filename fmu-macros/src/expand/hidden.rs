//! What functions and helper methods read, as data for `fmu_runtime::__private::hidden`.

use super::scalar;
use crate::decisions::{Cause, Causes, HiddenDecisions, Seen, Usage};
use crate::ir::equations::Equations;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::ext::IdentExt;

/// The function that returns what a helper method reads.
fn name_of(helper: &str) -> Ident {
    format_ident!("__usage_of_{}", helper.trim_start_matches("r#"))
}

fn sources(causes: &Causes, seen: &Seen) -> TokenStream {
    let source = |cause: &Cause| {
        let what = match (cause.helper(), cause.what.as_str()) {
            (Some(helper), _) => {
                let name = name_of(helper);
                quote!(Method(Self::#name))
            }
            (None, "*") => quote!(Everything),
            (None, path) => {
                let path = path.replace("r#", "");
                quote!(Field(#path))
            }
        };
        let (only_decided, added) = (cause.only_decided, cause.added);
        let place = match seen.places.get(cause) {
            Some(place) => quote_spanned!(*place=> __fmu_runtime::hidden::here()),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            __fmu_runtime::hidden::Source {
                what: __fmu_runtime::hidden::What::#what,
                only_decided: #only_decided,
                added: #added,
                place: #place,
            }
        }
    };
    let sources = causes.iter().map(source);
    quote!(&[#(#sources),*])
}

fn usage(usage: &Usage, seen: &Seen, whole: bool) -> TokenStream {
    let (carries, decided) = (sources(&usage.carries, seen), sources(&usage.decided, seen));
    let integers = seen.integers.iter().filter(|_| whole);
    let calls = seen.calls.iter().filter(|_| whole).map(|name| name_of(name));
    quote! {
        __fmu_runtime::hidden::Usage {
            carries: #carries,
            decided: #decided,
            integers: &[#((#integers) as i32),*],
            calls: &[#(Self::#calls),*],
            unknown: false,
        }
    }
}

/// A method that is not in `#[equations]` has no such function: the one of this trait takes its place.
fn fallbacks(names: &BTreeSet<String>) -> TokenStream {
    let names = names.iter().map(|name| name_of(name));
    quote! {
        #[allow(dead_code)]
        trait Unread {
            #(fn #names() -> &'static __fmu_runtime::hidden::Usage {
                &__fmu_runtime::hidden::Usage::UNKNOWN
            })*
        }
        impl<T: ?::core::marker::Sized> Unread for T {}
    }
}

fn called<'u>(usages: impl Iterator<Item = &'u Usage>, seen: &Seen) -> BTreeSet<String> {
    let causes = usages.flat_map(|usage| usage.carries.iter().chain(&usage.decided));
    let helpers = causes.filter_map(|cause| cause.helper().map(str::to_owned));
    helpers.chain(seen.calls.iter().cloned()).collect()
}

/// What a helper method reads.
pub fn of_helper(helper: &Ident, of: &Usage, seen: &Seen) -> TokenStream {
    let (name, fallbacks) = (
        name_of(&helper.to_string()),
        fallbacks(&called([of].into_iter(), seen)),
    );
    let usage = usage(of, seen, true);
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, clippy::unnecessary_cast)]
        pub fn #name() -> &'static __fmu_runtime::hidden::Usage {
            #fallbacks
            const { &#usage }
        }
    }
}

/// What the functions of a model read; nothing where nothing can be hidden.
pub fn of_model(hidden: &HiddenDecisions) -> TokenStream {
    if !hidden.possible {
        return TokenStream::new();
    }
    let seen = &hidden.seen;
    let mut names = called(hidden.usages.iter().map(|(_, _, usage)| usage), seen);
    names.extend(hidden.called.iter().cloned());
    let fallbacks = fallbacks(&names);
    let variables = hidden.usages.iter().map(|(function, field, of)| {
        let (field, usage) = (field.trim_start_matches("r#"), usage(of, seen, false));
        quote!((#function, #field, #usage))
    });
    let whole = usage(&Usage::default(), seen, true);
    let HiddenDecisions {
        unbounded,
        changed,
        changeable,
        called,
        ..
    } = hidden;
    let called = called.iter().map(|name| name_of(name));
    quote! {
        #[allow(clippy::unnecessary_cast)]
        fn own_usages() -> &'static __fmu_runtime::hidden::Usages {
            #fallbacks
            const {
                &__fmu_runtime::hidden::Usages {
                    variables: &[#(#variables,)* ("", "", #whole)],
                    unbounded: &[#(#unbounded),*],
                    changed: &[#(#changed),*],
                    changeable: &[#(#changeable),*],
                    called: &[#(Self::#called),*],
                }
            }
        }
    }
}

/// Statements that make numbers of a group depend on everything: those whose dependencies exploration cannot determine.
pub fn obscured(function: &str, equations: &Equations) -> TokenStream {
    let real = scalar();
    let of_group = equations
        .hidden
        .decided
        .iter()
        .filter(|(of, field)| *of == function && equations.reals.contains(field));
    let statements = of_group.map(|(_, field)| {
        let ident = format_ident!("{field}");
        let name = ident.unraw().to_string();
        quote! {
            if let ::core::option::Option::Some(because) = __fmu_runtime::hidden::reason(usages, #function, #name) {
                __fmu_runtime::parts::Obscure::obscure(&mut values.#ident, because);
            }
        }
    });
    let statements: Vec<TokenStream> = statements.collect();
    if statements.is_empty() {
        return TokenStream::new();
    }
    quote! {
        if <#real as __fmu_runtime::scalar::Scalar>::SYMBOLIC
            && <Self as __fmu_runtime::model::Structure<#real>>::UNBOUNDED
        {
            let usages = <Self as __fmu_runtime::model::Equations<#real>>::usages();
            #(#statements)*
        }
    }
}
