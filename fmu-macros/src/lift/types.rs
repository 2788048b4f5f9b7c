//! `f64` in types.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Path, Type, TypeArray, parse_quote};

/// Replaces `f64` in types by the given parameter.
pub struct Types(pub Ident);

impl VisitMut for Types {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
            && is_f64(&path.path)
        {
            let parameter = at(&self.0, path.span());
            *ty = parse_quote!(#parameter);
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    /// An array's length is a `usize`, whatever stands in it.
    fn visit_type_array_mut(&mut self, array: &mut TypeArray) {
        self.visit_type_mut(&mut array.elem);
    }
}

fn is_f64(path: &Path) -> bool {
    let last = path
        .segments
        .last()
        .is_some_and(|segment| segment.ident == "f64" && segment.arguments.is_none());
    last && (path.segments.len() == 1 || path.segments.iter().any(|segment| segment.ident == "primitive"))
}

/// `f64::MAX`, `f64::max`: something of the type itself.
pub fn starts_with_f64(path: &Path) -> bool {
    path.segments.len() == 2 && path.segments[0].ident == "f64"
}

/// The parameter, written where the author wrote something else.
pub fn at(parameter: &Ident, span: Span) -> Ident {
    let mut parameter = parameter.clone();
    parameter.set_span(span.resolved_at(parameter.span()));
    parameter
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens, format_ident};

    #[test]
    fn f64_is_replaced_wherever_it_stands() {
        for (mut ty, lifted) in [
            (parse_quote!(f64), "S"),
            (parse_quote!(std::primitive::f64), "S"),
            (parse_quote!([[f64; N]; f64_count()]), "[[S ; N] ; f64_count ()]"),
            (parse_quote!(Vec<(f64, &[f64])>), "Vec < (S , & [S]) >"),
            (
                parse_quote!(impl Fn(f64) -> Option<f64>),
                "impl Fn (S) -> Option < S >",
            ),
            (
                parse_quote!(Box<dyn Iterator<Item = f64>>),
                "Box < dyn Iterator < Item = S > >",
            ),
            (parse_quote!(my::f64), "my :: f64"),
        ] {
            Types(format_ident!("S")).visit_type_mut(&mut ty);
            assert_eq!(ty.to_token_stream().to_string(), lifted);
        }
    }
}
