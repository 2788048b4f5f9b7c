//! `rising(condition)` and `falling(condition)` in `fn event`: the conditions, and the numbers that change their sign where a
//! condition changes.

use crate::errors::Errors;
use crate::role::Role;
use crate::summary::ModelSummary;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Expr, ExprBinary, ExprCall, ExprField, FnArg, ImplItemFn, Member, Pat, Token, UnOp, parse_quote,
};

/// So many conditions fit into the memory of an event.
const MOST: usize = 64;

/// The conditions of `fn event`, as expressions of `self` and [`time`].
#[derive(Default)]
pub struct Edges {
    pub conditions: Vec<Expr>,
    /// Event indicators: numbers that are positive where a comparison holds.
    pub indicators: Vec<Expr>,
    /// The author's `self`: by hygiene, conditions know no other.
    receiver: Option<Token![self]>,
}

/// What stands for the time in conditions.
pub fn time() -> Ident {
    Ident::new("__time", Span::call_site())
}

/// Takes the conditions out of `fn event`, whose calls then compare with what held before.
pub fn resolve(event: &mut ImplItemFn, summary: &ModelSummary, errors: &mut Errors) -> Edges {
    let mut calls = Calls {
        at: argument(event),
        summary,
        errors,
        edges: Edges::default(),
    };
    calls.visit_block_mut(&mut event.block);
    calls.edges.receiver = event.sig.receiver().map(|receiver| receiver.self_token);
    calls.edges
}

/// The name of the event, which gets one if it has none.
fn argument(event: &mut ImplItemFn) -> Ident {
    let unnamed = format_ident!("__at");
    for input in event.sig.inputs.iter_mut() {
        if let FnArg::Typed(typed) = input {
            match &*typed.pat {
                Pat::Ident(pattern) => return pattern.ident.clone(),
                _ => *typed.pat = parse_quote!(#unnamed),
            }
        }
    }
    unnamed
}

/// `rising` or `falling`, called with one condition.
fn edge(call: &ExprCall) -> Option<&'static str> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let names = ["rising", "falling"];
    names.into_iter().find(|name| path.path.is_ident(name))
}

struct Calls<'a> {
    at: Ident,
    summary: &'a ModelSummary,
    errors: &'a mut Errors,
    edges: Edges,
}

impl VisitMut for Calls<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Call(call) = expression
            && let Some(name) = edge(call)
        {
            let Some(condition) = call.args.first().filter(|_| call.args.len() == 1) else {
                self.errors.on(
                    &call.func,
                    format!("`{name}` takes one condition: write `{name}(self.level > 2.0)`"),
                );
                *expression = parse_quote!(false);
                return;
            };
            let condition = condition.clone();
            let Some(number) = self.condition(name, condition.clone()) else {
                // What it reads is not unused because of the mistake.
                *expression = condition;
                return;
            };
            let at = &self.at;
            let function = format_ident!("{name}");
            *expression = parse_quote!(__fmu_runtime::edges::#function(#at, #number, #condition));
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
    }
}

impl Calls<'_> {
    /// The number of a condition; `None` if it cannot be watched, which is reported.
    fn condition(&mut self, name: &str, condition: Expr) -> Option<u32> {
        let mistakes = self.errors.len();
        let mut names = Names {
            at: &self.at,
            errors: self.errors,
            name,
        };
        names.visit_expr(&condition);
        let mut condition = condition;
        Time { at: &self.at }.visit_expr_mut(&mut condition);
        let same = |known: &Expr| quote!(#known).to_string() == quote!(#condition).to_string();
        if let Some(number) = self.edges.conditions.iter().position(same) {
            return Some(number as u32);
        }
        let indicators = self.edges.indicators.len();
        self.watch(name, &condition);
        if self.errors.len() == mistakes && self.edges.conditions.len() == MOST {
            self.errors.on(
                &condition,
                format!("`fn event` has more than {MOST} conditions of `rising` and `falling`: move some into a part"),
            );
        }
        if self.errors.len() > mistakes {
            // Indicators of a refused condition would make a second message.
            self.edges.indicators.truncate(indicators);
            return None;
        }
        self.edges.conditions.push(condition);
        Some(self.edges.conditions.len() as u32 - 1)
    }

    /// Finds the comparisons of numbers in a condition.
    fn watch(&mut self, name: &str, condition: &Expr) {
        match condition {
            Expr::Paren(inner) => self.watch(name, &inner.expr),
            Expr::Group(inner) => self.watch(name, &inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.watch(name, &unary.expr),
            Expr::Binary(ExprBinary { left, op, right, .. }) => match op {
                BinOp::And(_) | BinOp::Or(_) => {
                    self.watch(name, left);
                    self.watch(name, right);
                }
                BinOp::Gt(_) | BinOp::Ge(_) if self.is_real(condition) => {
                    self.edges.indicators.push(parse_quote!((#left) - (#right)));
                }
                BinOp::Lt(_) | BinOp::Le(_) if self.is_real(condition) => {
                    self.edges.indicators.push(parse_quote!((#right) - (#left)));
                }
                _ => {}
            },
            // A Boolean or another variable that changes at events only.
            Expr::Field(_) | Expr::Index(_) | Expr::Path(_) | Expr::Lit(_) => {}
            other => self.errors.on(
                other,
                format!(
                    "`{name}` watches comparisons, and cannot see one here: write it as `{name}(self.level > 2.0)`"
                ),
            ),
        }
    }

    /// Whether a comparison is one of numbers that change continuously: not of integers.
    fn is_real(&self, comparison: &Expr) -> bool {
        let mut found = Reals {
            summary: self.summary,
            found: false,
        };
        found.visit_expr(comparison);
        found.found
    }
}

/// Looks for a number, a part, a method or the time.
struct Reals<'a> {
    summary: &'a ModelSummary,
    found: bool,
}

impl Visit<'_> for Reals<'_> {
    fn visit_expr_field(&mut self, field: &ExprField) {
        if let (Expr::Path(base), Member::Named(member)) = (&*field.base, &field.member)
            && base.path.is_ident("self")
        {
            let mut fields = self.summary.fields.iter();
            let known = fields.find(|known| known.ident == *member && known.role != Role::Connection);
            self.found |= known.is_some_and(|known| known.real || known.role == Role::Part);
        }
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        self.found |= matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        self.found |= path.path.is_ident(&time());
    }
}

/// Puts the time of an evaluation into the place of `at.time`.
struct Time<'a> {
    at: &'a Ident,
}

impl VisitMut for Time<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Field(ExprField { base, member, .. }) = expression
            && matches!(&**base, Expr::Path(path) if path.path.is_ident(self.at))
            && matches!(member, Member::Named(member) if member == "time")
        {
            let time = time();
            *expression = parse_quote!(#time);
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
    }
}

/// Reports variables of `fn event`, which a condition cannot read: it is evaluated at other times, too.
struct Names<'a> {
    at: &'a Ident,
    errors: &'a mut Errors,
    name: &'a str,
}

impl Visit<'_> for Names<'_> {
    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        let Some(ident) = path.path.get_ident() else {
            return;
        };
        let is_variable = ident.to_string().starts_with(|first: char| first.is_lowercase());
        if is_variable && ident != "self" && ident != self.at {
            self.errors.on(
                ident,
                format!(
                    "a condition of `{}` is watched all the time, so it reads fields, constants and `{}.time` only: \
                     write what `{ident}` stands for",
                    self.name, self.at
                ),
            );
        }
    }

    fn visit_expr_call(&mut self, call: &ExprCall) {
        // The name of a function is not a variable.
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }
}

/// Functions over every scalar and over `f64` that evaluate the indicators and the conditions.
pub fn methods(edges: &Edges) -> Option<(ImplItemFn, TokenStream)> {
    let this = edges.receiver.filter(|_| !edges.conditions.is_empty())?;
    let (time, conditions, indicators) = (time(), &edges.conditions, &edges.indicators);
    let (count, holds) = (indicators.len(), conditions.len());
    let over_number = parse_quote! {
        #[allow(unused_variables, unused_parens, clippy::all)]
        fn __edge_indicators(&#this, #time: f64) -> [f64; #count] {
            [#(#indicators),*]
        }
    };
    let over_f64 = quote! {
        #[allow(unused_variables, unused_parens, clippy::all)]
        fn __edge_conditions(&#this, #time: f64) -> [bool; #holds] {
            [#(#conditions),*]
        }
    };
    Some((over_number, over_f64))
}
