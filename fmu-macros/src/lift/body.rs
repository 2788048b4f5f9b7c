//! The walk over a body.

use super::{bound_names, macros, number};
use crate::errors::Errors;
use proc_macro2::Span;
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprLit, ExprPath, ExprUnary, Ident, Item, Lit, Pat, Path, Signature, Stmt, Type,
    TypeArray, UnOp, parse_quote, parse_quote_spanned,
};

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

/// The parameter, written where the author wrote something else.
fn at(parameter: &Ident, span: Span) -> Ident {
    let mut parameter = parameter.clone();
    parameter.set_span(span.resolved_at(parameter.span()));
    parameter
}

/// Lifts a body in place.
pub fn lift_block(block: &mut Block, signature: &Signature, errors: &mut Errors) {
    let bound = bound_names::collect(signature, block);
    Lifter { bound, errors }.visit_block_mut(block);
    block.stmts.insert(
        0,
        parse_quote! {
            #[allow(unused_imports)]
            use ::fmu_runtime::scalar::lift::prelude::*;
        },
    );
}

pub struct Lifter<'a> {
    bound: HashSet<String>,
    pub errors: &'a mut Errors,
}

impl Lifter<'_> {
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

    /// The constant, an element or a field of it, lifted: `method` is `lift` or `operand`.
    fn lift_constant(&self, expression: &Expr, method: &str) -> Expr {
        let (real, span) = (number(), expression.span());
        let method = syn::Ident::new(method, span);
        parse_quote_spanned!(span=> (*::fmu_runtime::scalar::lift::Lift(&#expression).#method::<#real>()))
    }

    /// The root constant of `K`, `K[i]`, `K[i][j]`, `K.a`.
    fn rooted_in_constant(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Path(path) => self.is_constant(path) && !starts_with_f64(&path.path),
            Expr::Index(index) => self.rooted_in_constant(&index.expr),
            Expr::Field(field) => self.rooted_in_constant(&field.base),
            _ => false,
        }
    }

    /// Lifts the indices inside `K[i]`, leaving `K` alone.
    fn visit_indices(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Index(index) => {
                self.visit_indices(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            Expr::Field(field) => self.visit_indices(&mut field.base),
            _ => {}
        }
    }

    /// A float literal or constant beside an arithmetic operator: it costs no lane of a dual number.
    fn operand(&mut self, expression: &mut Expr) {
        if let Some(literal) = float(expression) {
            let real = number();
            *expression =
                parse_quote_spanned!(expression.span()=> ::fmu_runtime::scalar::literal::<#real>(#literal));
        } else if self.rooted_in_constant(expression) {
            self.visit_indices(expression);
            *expression = self.lift_constant(expression, "operand");
        } else {
            self.visit_expr_mut(expression);
        }
    }
}

/// `f64::MAX`, `f64::max`: something of the type itself.
fn starts_with_f64(path: &Path) -> bool {
    path.segments.len() == 2 && path.segments[0].ident == "f64"
}

/// A float literal with its sign.
fn float(expression: &Expr) -> Option<Expr> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Float(literal),
            ..
        }) if literal.suffix() != "f32" => Some(expression.clone()),
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

const INTEGERS: &[&str] = &[
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

impl VisitMut for Lifter<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        Types(number()).visit_type_mut(ty);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if self.rooted_in_constant(expression) {
            self.visit_indices(expression);
            *expression = self.lift_constant(expression, "lift");
            return;
        }
        match expression {
            Expr::Lit(ExprLit {
                lit: Lit::Float(literal),
                ..
            }) if literal.suffix() != "f32" => {
                let real = number();
                *expression = parse_quote_spanned! {literal.span()=>
                    <#real as ::fmu_runtime::scalar::Scalar>::constant(#literal)
                };
            }
            Expr::Path(path) if path.qself.is_none() && starts_with_f64(&path.path) => {
                let real = at(&number(), path.path.segments[0].span());
                path.path.segments[0] = parse_quote!(#real);
            }
            Expr::Binary(binary) => match binary.op {
                BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                    self.operand(&mut binary.left);
                    self.operand(&mut binary.right);
                }
                BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
                | BinOp::RemAssign(_) => {
                    visit_mut::visit_expr_mut(self, &mut binary.left);
                    self.operand(&mut binary.right);
                }
                _ => visit_mut::visit_expr_binary_mut(self, binary),
            },
            Expr::Cast(cast) => {
                let target = match &*cast.ty {
                    Type::Path(path) => path.path.get_ident().map(ToString::to_string).unwrap_or_default(),
                    _ => String::new(),
                };
                // A constant under a cast keeps its own type: `N_CELLS as usize`, `K as f64`.
                if !self.rooted_in_constant(&cast.expr) {
                    self.visit_expr_mut(&mut cast.expr);
                }
                // `(n + 1) as f64`: inside a call the parentheses would be a lint of rustc's.
                let inner = match &*cast.expr {
                    Expr::Paren(parenthesized) => &parenthesized.expr,
                    _ => &cast.expr,
                };
                let (ty, real) = (&cast.ty, number());
                if target == "f64" {
                    *expression = parse_quote_spanned! {inner.span()=>
                        ::fmu_runtime::scalar::lift::Cast(#inner).cast::<#real>()
                    };
                } else if INTEGERS.contains(&target.as_str()) {
                    *expression = parse_quote_spanned! {inner.span()=>
                        {
                            let value = #inner;
                            ::fmu_runtime::scalar::integer::CheckCast(&value).check();
                            value as #ty
                        }
                    };
                }
            }
            Expr::Macro(invocation) => macros::lift(&mut invocation.mac, self),
            Expr::Call(call) => {
                // The function of a call is a name, not a value: `State::NEW(x)` is no constant.
                if !matches!(&*call.func, Expr::Path(path) if !starts_with_f64(&path.path)) {
                    self.visit_expr_mut(&mut call.func);
                } else if let Expr::Path(path) = &mut *call.func {
                    Types(number()).visit_path_mut(&mut path.path);
                }
                for argument in &mut call.args {
                    self.visit_expr_mut(argument);
                }
            }
            // The length of `[0.0; N]` is a usize.
            Expr::Repeat(repeat) => self.visit_expr_mut(&mut repeat.expr),
            Expr::Assign(assign) => {
                visit_mut::visit_expr_mut(self, &mut assign.left);
                self.visit_expr_mut(&mut assign.right);
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if let Stmt::Macro(invocation) = statement {
            macros::lift(&mut invocation.mac, self);
            return;
        }
        visit_mut::visit_stmt_mut(self, statement);
    }

    /// A function inside the body cannot see the scalar of the one around it and gets its own; other items stay.
    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Fn(function) = item {
            super::lift_function(function, self.errors);
        }
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        let is_float =
            |expression: &Option<Box<Expr>>| expression.as_ref().is_some_and(|e| float(e).is_some());
        let floating = match pattern {
            Pat::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
            Pat::Range(range) => is_float(&range.start) || is_float(&range.end),
            _ => false,
        };
        if floating {
            self.errors.on(
                &*pattern,
                "a pattern cannot compare numbers of the model: use a guard, `x if x < 1.0 => ...`",
            );
            *pattern = parse_quote!(_);
            return;
        }
        visit_mut::visit_pat_mut(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn lifted(body: Block) -> String {
        let mut block = body;
        let mut errors = Errors::default();
        lift_block(
            &mut block,
            &parse_quote!(fn f<const N: usize>(&self, t: f64)),
            &mut errors,
        );
        assert_eq!(errors.messages(), Vec::<String>::new());
        block.stmts.remove(0);
        block.into_token_stream().to_string()
    }

    #[test]
    fn literals_become_scalars_and_patterns_do_not() {
        let text = lifted(parse_quote!({
            let A = [0.0; N];
            match n {
                1 => A[0],
                _ => 2.5,
            }
        }));
        assert!(text.contains("constant (0.0) ; N"), "{text}");
        assert!(text.contains("1 => A [0]"), "{text}");
        assert!(text.contains("constant (2.5)"), "{text}");
    }

    #[test]
    fn constants_beside_an_operator_are_operands() {
        let text = lifted(parse_quote!({ 2.0 * x + K * T[i + 1] }));
        assert!(text.contains("(2.0) * x"), "{text}");
        assert!(text.contains("Lift (& K) . operand"), "{text}");
        assert!(text.contains("Lift (& T [i + 1]) . operand"), "{text}");
    }

    #[test]
    fn a_float_pattern_is_refused() {
        let mut block: Block = parse_quote!({
            match x {
                0.0 => 1.0,
                _ => 2.0,
            }
        });
        let mut errors = Errors::default();
        lift_block(&mut block, &parse_quote!(fn f()), &mut errors);
        assert_eq!(errors.messages().len(), 1);
    }
}
