//! What other functions return.
//!
//! A function that knows only `f64` is refused when it is called with a number of the model, at the argument. Its result
//! is an `f64` nevertheless, and every use of it would be refused too. So results are lifted where they come from: one
//! mistake, one message. And a plain function of plain data, which is not a mistake, gives a number like any other.
//!
//! A function that never returns has no result to lift, and pretending otherwise would spoil the type of the branch it
//! stands in. Where such a call makes sense (a branch, the end of a block), only calls that are given numbers count.

use super::constants::{Names, is_float};
use super::number;
use super::types::starts_with_f64;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprCall, ExprMethodCall, Member, parse_quote_spanned};

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

/// Methods that hand on what a call has returned.
const UNWRAPPING: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
];

/// Whether the result of the expression may be an `f64` that some other function has made. With `names`, the call must
/// be given what is surely a number.
pub fn returns_plain(expression: &Expr, names: Option<&Names>) -> bool {
    match expression {
        Expr::Call(call) => of_function(call, names),
        Expr::MethodCall(call) if is_one_of(&call.method, UNWRAPPING) => {
            returns_plain(&call.receiver, names) || names.is_none() && is_reached_from_self(&call.receiver)
        }
        Expr::MethodCall(call) => of_method(call, names),
        Expr::Try(inner) => returns_plain(&inner.expr, names),
        _ => false,
    }
}

/// `self.map.get(&key).copied()`: maybe something that internal data holds.
fn is_reached_from_self(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => is_reached_from_self(&call.receiver),
        Expr::Field(field) => is_reached_from_self(&field.base),
        Expr::Path(path) => path.path.is_ident("self"),
        _ => false,
    }
}

fn is_one_of(ident: &syn::Ident, names: &[&str]) -> bool {
    names.iter().any(|name| ident == name)
}

/// `lookup(x)`, but neither `Some(x)` nor `f64::max(x, y)`.
fn of_function(call: &ExprCall, names: Option<&Names>) -> bool {
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let segments = &function.path.segments;
    let by_context = segments
        .iter()
        .any(|segment| is_one_of(&segment.ident, BY_CONTEXT));
    let lowercase = segments.last().is_some_and(|last| {
        last.ident
            .to_string()
            .starts_with(|c: char| c.is_lowercase() || c == '_')
    });
    let given = match names {
        Some(names) => call.args.iter().any(|argument| is_number(argument, names)),
        None => !call.args.is_empty(),
    };
    given && lowercase && !by_context && !is_opaque(call) && !starts_with_f64(&function.path)
}

/// `opaque(|[x]| ..., [self.x])`: code that stays as it is, and the arguments for it.
pub fn is_opaque(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let last = function.path.segments.last();
    last.is_some_and(|last| is_one_of(&last.ident, &["opaque", "opaque_with"]))
}

/// `spline.sample(x)`: a method that is given numbers and is none of the scalars' own.
fn of_method(call: &ExprMethodCall, names: Option<&Names>) -> bool {
    let given = call.args.iter().any(|argument| match names {
        Some(names) => is_number(argument, names),
        None => may_be_number(argument),
    });
    given && call.turbofish.is_none() && !is_one_of(&call.method, SCALAR_METHODS)
}

/// A number, as far as spelling goes.
fn is_number(expression: &Expr, names: &Names) -> bool {
    match expression {
        Expr::Lit(literal) => is_float(&literal.lit),
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|ident| names.numbers.contains(&ident.to_string())),
        Expr::Field(field) => {
            matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"))
                && matches!(&field.member, Member::Named(ident) if names.number_fields.contains(&ident.to_string()))
        }
        Expr::Binary(binary) => {
            matches!(
                binary.op,
                BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
            ) && (is_number(&binary.left, names) || is_number(&binary.right, names))
        }
        Expr::MethodCall(call) => is_number(&call.receiver, names),
        Expr::Index(index) => is_number(&index.expr, names),
        Expr::Unary(unary) => is_number(&unary.expr, names),
        Expr::Reference(reference) => is_number(&reference.expr, names),
        Expr::Paren(inner) => is_number(&inner.expr, names),
        _ => false,
    }
}

/// Whether an expression is a number, as far as its spelling shows.
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
    parse_quote_spanned!(span=> __fmu_runtime::lift::Given(#call).given::<#real>())
}
