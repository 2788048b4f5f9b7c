//! The path to the runtime in generated code.
//!
//! Everything that this crate generates names the runtime `__fmu_runtime`. At the very end that word becomes the path of
//! the runtime's module for generated code: `::fmu_runtime::__private`, or the same under the name that an author gives
//! with `crate = "..."`.

use crate::errors::Errors;
use crate::parse::options::OptionItem;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Path, parse_quote};

/// The name of the runtime in generated code.
const MARKER: &str = "__fmu_runtime";

/// The path of the runtime crate, as the author's crate knows it.
#[derive(Clone)]
pub struct Runtime(Path);

impl Default for Runtime {
    fn default() -> Runtime {
        Runtime(parse_quote!(::fmu_runtime))
    }
}

impl Runtime {
    /// A path that was found in the summary of a model.
    pub fn at(path: Path) -> Runtime {
        Runtime(path)
    }

    /// The path in `crate = "..."`.
    pub fn of_option(item: &OptionItem, errors: &mut Errors) -> Runtime {
        let Some((text, span)) = item.text("fmu_runtime", errors) else {
            return Runtime::default();
        };
        match syn::parse_str::<Path>(&text) {
            Ok(path) => Runtime(path),
            Err(_) => {
                errors.at(
                    span,
                    format!(
                        "`{text}` is not a path: write the name of the crate, as in `crate = \"fmu_runtime\"`"
                    ),
                );
                Runtime::default()
            }
        }
    }

    /// The only option of `macro_name`, if there is one.
    pub fn of_only_option(items: &[OptionItem], macro_name: &str, errors: &mut Errors) -> Runtime {
        let mut runtime = Runtime::default();
        for item in items {
            match item.name().as_str() {
                "crate" => runtime = Runtime::of_option(item, errors),
                other => errors.at(
                    item.span(),
                    format!("`{macro_name}` has no option `{other}`, only `crate = \"...\"`"),
                ),
            }
        }
        runtime
    }

    /// Puts the path in the place of its name.
    pub fn resolve(&self, tokens: TokenStream) -> TokenStream {
        if !mentions(tokens.clone()) {
            return tokens;
        }
        let replace = |tree: TokenTree| -> TokenStream {
            match tree {
                TokenTree::Ident(ident) if ident == MARKER => self.private(&ident),
                TokenTree::Group(group) if mentions(group.stream()) => {
                    let mut resolved = Group::new(group.delimiter(), self.resolve(group.stream()));
                    resolved.set_span(group.span());
                    TokenTree::Group(resolved).into()
                }
                other => other.into(),
            }
        };
        tokens.into_iter().flat_map(replace).collect()
    }

    fn private(&self, marker: &Ident) -> TokenStream {
        let path = &self.0;
        // With the span of the marker, so that messages point where they would without it.
        let path = path.to_token_stream().into_iter().map(|mut tree| {
            tree.set_span(marker.span());
            tree
        });
        quote_spanned!(marker.span()=> #(#path)*::__private)
    }
}

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

fn mentions(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == MARKER,
        TokenTree::Group(group) => mentions(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn the_name_becomes_a_path_wherever_it_stands() {
        let tokens =
            quote!(impl __fmu_runtime::model::Model for Ball { fn f() -> [__fmu_runtime::Next; 2] {} });
        let resolved = Runtime(parse_quote!(dynamics::runtime)).resolve(tokens);
        let expected = quote! {
            impl dynamics::runtime::__private::model::Model for Ball {
                fn f() -> [dynamics::runtime::__private::Next; 2] {}
            }
        };
        assert_eq!(resolved.to_string(), expected.to_string());
        let default = Runtime::default().resolve(quote!(__fmu_runtime::Event));
        assert_eq!(
            default.to_string(),
            quote!(::fmu_runtime::__private::Event).to_string()
        );
    }
}
