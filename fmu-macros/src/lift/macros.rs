//! Arguments of the standard macros that equations use. Others keep their tokens: their meaning is not known.

use super::body::Lifter;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Pat, Token};

/// `vec![value; length]`.
struct Repeat {
    value: Expr,
    length: Expr,
}

impl Parse for Repeat {
    fn parse(input: ParseStream) -> syn::Result<Repeat> {
        let value = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Repeat {
            value,
            length: input.parse()?,
        })
    }
}

/// `matches!(value, pattern if guard)`.
struct Matches {
    value: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = input.call(Pat::parse_multi_with_leading_vert)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Matches {
            value,
            pattern,
            guard,
        })
    }
}

/// Lifts the arguments of a macro that is known.
pub fn lift(invocation: &mut Macro, lifter: &mut Lifter<'_>) {
    let name = invocation
        .path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default();
    match name.as_str() {
        "vec" => {
            if let Ok(Repeat { mut value, length }) = syn::parse2(invocation.tokens.clone()) {
                lifter.visit_expr_mut(&mut value);
                invocation.tokens = quote!(#value; #length);
            } else {
                list(invocation, lifter);
            }
        }
        "matches" => {
            if let Ok(Matches {
                mut value,
                mut pattern,
                mut guard,
            }) = syn::parse2(invocation.tokens.clone())
            {
                lifter.visit_expr_mut(&mut value);
                lifter.visit_pat_mut(&mut pattern);
                if let Some(guard) = &mut guard {
                    lifter.visit_expr_mut(guard);
                }
                let guard = guard.map(|guard| quote!(if #guard));
                invocation.tokens = quote!(#value, #pattern #guard);
            }
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne"
        | "format" | "print" | "println" | "eprint" | "eprintln" | "panic" | "unreachable" | "todo"
        | "unimplemented" | "write" | "writeln" | "log" | "dbg" => list(invocation, lifter),
        _ => {}
    }
}

fn list(invocation: &mut Macro, lifter: &mut Lifter<'_>) {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    let Ok(mut arguments) = parser.parse2(invocation.tokens.clone()) else {
        return;
    };
    for argument in &mut arguments {
        match argument {
            // `name = value` of a format string: the name is not a place.
            Expr::Assign(assign) => lifter.visit_expr_mut(&mut assign.right),
            other => lifter.visit_expr_mut(other),
        }
    }
    invocation.tokens = quote!(#arguments);
}
