//! What other functions return.
//!
//! A function that knows only `f64` is refused when it is called with a number of the model, at the argument. Its result
//! is an `f64` nevertheless, and every use of it would be refused too. So results are lifted where they come from: one
//! mistake, one message. And a plain function of plain data, which is no mistake, gives a number like any other.

use super::number;
use super::types::starts_with_f64;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, Stmt, parse_quote_spanned};

/// Traits whose functions return what the context asks for: there is no type yet to decide by.
const BY_CONTEXT: &[&str] = &[
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "Default",
    "FromStr",
    "FromIterator",
];

/// Functions that never return: there is nothing to lift, and the type of nothing fits everywhere.
const DIVERGING: &[&str] = &["panic_any", "resume_unwind", "exit", "abort"];

/// Methods that hand on what a call has returned.
const UNWRAPPING: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
];

/// Whether the result of the expression may be an `f64` that some other function has made.
pub fn returns_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Call(call) => of_function(call),
        Expr::MethodCall(call) if UNWRAPPING.iter().any(|name| call.method == name) => {
            returns_plain(&call.receiver)
        }
        Expr::MethodCall(call) => of_method(call),
        Expr::Try(inner) => returns_plain(&inner.expr),
        _ => false,
    }
}

/// `lookup(x)`, but neither `Some(x)` nor `f64::max(x, y)`.
fn of_function(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let segments = &function.path.segments;
    let by_context = segments
        .iter()
        .any(|segment| BY_CONTEXT.iter().any(|name| segment.ident == name));
    let lowercase = segments.last().is_some_and(|last| {
        last.ident
            .to_string()
            .starts_with(|c: char| c.is_lowercase() || c == '_')
    });
    let diverging = segments
        .last()
        .is_some_and(|last| DIVERGING.iter().any(|name| last.ident == name));
    lowercase && !diverging && !by_context && !starts_with_f64(&function.path) && !call.args.is_empty()
}

/// `spline.sample(x)`: a method that is given numbers and is none of the scalars' own.
fn of_method(call: &ExprMethodCall) -> bool {
    let given_numbers = call.args.iter().any(may_be_number);
    given_numbers && call.turbofish.is_none() && !SCALAR_METHODS.iter().any(|name| call.method == name)
}

/// By its looks.
fn may_be_number(expression: &Expr) -> bool {
    match expression {
        Expr::Path(path) => path.path.get_ident().is_some(),
        Expr::Field(_) | Expr::Index(_) | Expr::Binary(_) | Expr::Lit(_) | Expr::MethodCall(_) => true,
        Expr::Unary(unary) => may_be_number(&unary.expr),
        Expr::Paren(inner) => may_be_number(&inner.expr),
        _ => false,
    }
}

/// Methods that every scalar has, so that nothing plain comes out of them.
const SCALAR_METHODS: &[&str] = &[
    "powi",
    "powf",
    "atan2",
    "hypot",
    "copysign",
    "min",
    "max",
    "clamp",
    "mul_add",
    "rem_euclid",
    "div_euclid",
    "midpoint",
    "log",
    "total_cmp",
    "partial_cmp",
    "cmp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "push",
    "insert",
];

/// The call with its result lifted.
pub fn lift_result(call: &Expr) -> Expr {
    let (real, span) = (number(), call.span());
    parse_quote_spanned!(span=> ::fmu_runtime::scalar::lift::Given(#call).given::<#real>())
}

/// A result that nobody uses stays as it is.
pub fn is_discarded(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(_, Some(_)))
}
