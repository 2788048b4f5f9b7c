//! Comparisons that give the values to try: of an integer of the model itself, with numbers alone.

use super::walk::{Walk, own_field};
use syn::{Expr, ExprMatch, Lit, Pat, UnOp, parse_quote};

impl Walk<'_> {
    /// Whether a `match` looks at integers of the model (and at what is tried anyway) with literals alone.
    pub fn compares_with_literals(&mut self, matched: &Expr, choice: &ExprMatch) -> bool {
        let plain = match matched {
            Expr::Tuple(tuple) => tuple
                .elems
                .iter()
                .all(|element| self.is_integer(element) || self.expr(element).is_empty()),
            other => self.is_integer(other),
        };
        plain && choice.arms.iter().all(|arm| self.try_pattern(&arm.pat))
    }

    /// An integer of the model as it is.
    pub fn is_integer(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Paren(inner) => self.is_integer(&inner.expr),
            Expr::Reference(inner) => self.is_integer(&inner.expr),
            Expr::Index(index) => matches!(&*index.index, Expr::Lit(_)) && self.is_integer(&index.expr),
            other => own_field(other)
                .and_then(|name| self.fields.get(&name))
                .is_some_and(|known| known.integer),
        }
    }

    /// Notes a value to try, if it is one.
    pub fn try_value(&mut self, expression: &Expr) -> bool {
        let is_value = match expression {
            Expr::Lit(literal) => is_small(&literal.lit),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                matches!(&*unary.expr, Expr::Lit(literal) if is_small(&literal.lit))
            }
            Expr::Path(path) => {
                let name = path.path.segments.last().map(|last| last.ident.to_string());
                let constant = name.filter(|name| is_constant(name) && !self.inner_constants.contains(name));
                // A `use` inside the body may have brought it in.
                constant.is_some() && !self.inner_constants.contains("*")
            }
            _ => false,
        };
        if is_value && !self.seen.integers.contains(expression) {
            self.seen.integers.push(expression.clone());
        }
        is_value
    }

    fn try_pattern(&mut self, pattern: &Pat) -> bool {
        match pattern {
            Pat::Wild(_) | Pat::Rest(_) => true,
            Pat::Lit(literal) => match &literal.lit {
                Lit::Int(_) => self.try_value(&Expr::Lit(literal.clone())),
                Lit::Bool(_) => true,
                _ => false,
            },
            Pat::Ident(named) if named.subpat.is_none() && is_constant(&named.ident.to_string()) => {
                let ident = &named.ident;
                self.try_value(&parse_quote!(#ident))
            }
            Pat::Ident(named) => match &named.subpat {
                Some((_, inner)) => self.try_pattern(inner),
                None => true,
            },
            Pat::Path(path) => {
                // A variant of an enumeration, or a constant, which has no lowercase letter.
                let name = path.path.segments.last().map(|last| last.ident.to_string());
                match name.is_some_and(|name| is_constant(&name)) {
                    true => self.try_value(&Expr::Path(path.clone())),
                    false => true,
                }
            }
            Pat::Range(range) => range
                .start
                .iter()
                .chain(&range.end)
                .all(|bound| self.try_value(bound)),
            Pat::Or(or) => or.cases.iter().all(|case| self.try_pattern(case)),
            Pat::Tuple(tuple) => tuple.elems.iter().all(|element| self.try_pattern(element)),
            Pat::Paren(inner) => self.try_pattern(&inner.pat),
            Pat::Reference(inner) => self.try_pattern(&inner.pat),
            _ => false,
        }
    }
}

fn is_small(literal: &Lit) -> bool {
    matches!(literal, Lit::Int(literal) if literal.base10_parse::<i32>().is_ok())
}

fn is_constant(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}
