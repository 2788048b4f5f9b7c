//! Plain data in equations: constants, and internal fields. Each is lifted where it stands, by the type it has.
//!
//! A macro sees names and no types. What is spelt like a constant goes through `Lift`, which makes a scalar of an `f64`
//! and leaves everything else alone; see `fmu_runtime::scalar::lift`.

use super::number;
use super::types::starts_with_f64;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, ExprUnary, Lit, Member, UnOp, parse_quote_spanned};

/// What is known of the names in a body.
#[derive(Default)]
pub struct Names {
    /// Bound by patterns: capital letters alone do not make a constant of `let A = ...`.
    pub bound: HashSet<String>,
    /// Those of them that are declared as `f64`.
    pub numbers: HashSet<String>,
    /// Fields of the model that are not variables and keep their types.
    pub internal: HashSet<String>,
    /// Fields of the model that are numbers, or arrays of them.
    pub number_fields: HashSet<String>,
}

impl Names {
    /// Whether the expression is `K`, `K[i]`, `K.a` of a constant, or the same of an internal field.
    pub fn is_plain(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Path(path) => self.is_constant(path) && !starts_with_f64(&path.path),
            Expr::Index(index) => self.is_plain(&index.expr),
            Expr::Field(field) => self.is_internal(expression) || self.is_plain(&field.base),
            Expr::Paren(inner) => self.is_plain(&inner.expr),
            Expr::Group(inner) => self.is_plain(&inner.expr),
            _ => false,
        }
    }

    /// `self.table` of an internal field.
    pub fn is_internal(&self, expression: &Expr) -> bool {
        let Expr::Field(field) = expression else {
            return false;
        };
        matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"))
            && matches!(&field.member, Member::Named(ident) if self.internal.contains(&ident.to_string()))
    }

    /// `K`, `module::K`, `Self::K`, `std::f64::consts::PI`: a constant by its spelling.
    fn is_constant(&self, path: &ExprPath) -> bool {
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        let name = last.ident.to_string();
        let screaming = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let local = path
            .path
            .get_ident()
            .is_some_and(|ident| self.bound.contains(&ident.to_string()));
        screaming && !local && last.arguments.is_none()
    }
}

/// The plain expression, lifted: `method` is `lift` or `operand`.
pub fn lift(expression: &Expr, method: &str) -> Expr {
    let (real, span) = (number(), expression.span());
    let method = syn::Ident::new(method, span);
    parse_quote_spanned!(span=> (*__fmu_runtime::lift::Lift(&#expression).#method::<#real>()))
}

/// A float literal with its sign.
pub fn float(expression: &Expr) -> Option<Expr> {
    match expression {
        Expr::Lit(literal) => is_float(&literal.lit).then(|| expression.clone()),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => float(expr).map(|_| expression.clone()),
        Expr::Paren(inner) => float(&inner.expr),
        Expr::Group(inner) => float(&inner.expr),
        _ => None,
    }
}

/// `1.0`, `1.0_f64`, `1f64`; a number that is an `f32` stays one.
pub fn is_float(literal: &Lit) -> bool {
    match literal {
        Lit::Float(literal) => literal.suffix() != "f32",
        Lit::Int(literal) => literal.suffix() == "f64",
        _ => false,
    }
}
