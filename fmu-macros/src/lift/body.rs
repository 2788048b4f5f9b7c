//! The walk over a body.

use super::constants::{self, Names, float, is_float};
use super::types::{Types, at, starts_with_f64};
use super::{Fields, bound_names, calls, macros, number};
use crate::errors::Errors;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, BinOp, Block, Expr, ExprCall, ExprCast, ExprMethodCall, FieldValue, Item, LocalInit, Pat, Signature,
    Stmt, Token, Type, parse_quote, parse_quote_spanned,
};

/// Lifts a body in place. `fields` knows the fields of the model.
pub fn lift_block(block: &mut Block, signature: &Signature, fields: &Fields, errors: &mut Errors) {
    let mut names = Names {
        internal: fields.internal.clone(),
        number_fields: fields.numbers.clone(),
        ..Names::default()
    };
    bound_names::collect(signature, block, &mut names);
    Lifter { names, errors }.visit_block_mut(block);
    block.stmts.insert(
        0,
        parse_quote! {
            #[allow(unused_imports)]
            use __fmu_runtime::lift::prelude::*;
        },
    );
}

pub struct Lifter<'a> {
    names: Names,
    pub errors: &'a mut Errors,
}

const INTEGERS: &[&str] = &[
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

impl Lifter<'_> {
    /// Lifts the indices inside `K[i]`, leaving `K` alone.
    fn visit_indices(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Index(index) => {
                self.visit_indices(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            Expr::Field(field) => self.visit_indices(&mut field.base),
            Expr::Paren(inner) => self.visit_indices(&mut inner.expr),
            _ => {}
        }
    }

    fn lift_plain(&mut self, expression: &mut Expr, method: &str) {
        self.visit_indices(expression);
        *expression = constants::lift(expression, method);
    }

    /// A float literal or plain value beside an arithmetic operator: it costs no lane of a dual number.
    fn operand(&mut self, expression: &mut Expr) {
        if let Some(literal) = float(expression) {
            let real = number();
            *expression =
                parse_quote_spanned!(expression.span()=> __fmu_runtime::scalar::literal::<#real>(#literal));
        } else if self.names.is_plain(expression) {
            self.lift_plain(expression, "operand");
        } else {
            self.value(expression);
        }
    }

    /// A value that is used as such: whatever call it is, it returns.
    fn value(&mut self, expression: &mut Expr) {
        if calls::returns_plain(expression, None) {
            self.handed_on(expression);
            *expression = calls::lift_result(expression);
        } else {
            self.visit_expr_mut(expression);
        }
    }

    /// An argument or receiver: what a call inside it returns is handed on as it is.
    fn handed_on(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Try(inner) => self.handed_on(&mut inner.expr),
            // Methods of internal data are called where it is, not on a copy.
            _ if self.names.is_internal(expression) => {}
            other => self.visit_expr_mut(other),
        }
    }

    fn call(&mut self, call: &mut ExprCall) {
        match &mut *call.func {
            Expr::Path(path) if starts_with_f64(&path.path) => self.visit_expr_mut(&mut call.func),
            // The function of a call is a name, not a value: `State::NEW(x)` is not a constant.
            Expr::Path(path) => Types(number()).visit_path_mut(&mut path.path),
            other => self.visit_expr_mut(other),
        }
        if calls::is_opaque(call) {
            // The code behind `opaque` is plain and stays so: only what is handed through is the model's.
            if let Some(handed_through) = call.args.last_mut() {
                self.visit_expr_mut(handed_through);
            }
        } else {
            self.arguments(&mut call.args);
        }
    }

    fn method_call(&mut self, call: &mut ExprMethodCall) {
        self.handed_on(&mut call.receiver);
        if let Some(turbofish) = &mut call.turbofish {
            Types(number()).visit_angle_bracketed_generic_arguments_mut(turbofish);
        }
        match call.args.first_mut() {
            // The value that is replaced may be plain data or a number of the model: its type decides.
            Some(otherwise) if call.method == "unwrap_or" && float(otherwise).is_some() => {
                *otherwise = parse_quote_spanned! {otherwise.span()=>
                    __fmu_runtime::lift::plain(#otherwise)
                };
            }
            _ => self.arguments(&mut call.args),
        }
    }

    /// Internal data alone goes to a function as it is, with numbers of the model as one of them.
    fn arguments(&mut self, arguments: &mut Punctuated<Expr, Token![,]>) {
        let internal = |argument: &Expr| self.names.is_plain(argument) && !matches!(argument, Expr::Path(_));
        let all_internal = arguments.iter().all(internal);
        for argument in arguments {
            if all_internal {
                self.visit_indices(argument);
            } else if matches!(argument, Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_)) {
                self.handed_on(argument);
            } else {
                self.visit_expr_mut(argument);
            }
        }
    }

    fn cast(&mut self, cast: &mut ExprCast) -> Option<Expr> {
        let target = match &*cast.ty {
            Type::Path(path) => path.path.get_ident().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        // A plain value under a cast keeps its own type: `N_CELLS as usize`, `K as f64`.
        if self.names.is_plain(&cast.expr) {
            self.visit_indices(&mut cast.expr);
        } else {
            self.visit_expr_mut(&mut cast.expr);
        }
        // `(n + 1) as f64`: inside a call the parentheses would be a lint of rustc's.
        let inner = match &*cast.expr {
            Expr::Paren(parenthesized) => &parenthesized.expr,
            _ => &cast.expr,
        };
        let (ty, real) = (&cast.ty, number());
        if target == "f64" {
            return Some(parse_quote_spanned! {inner.span()=>
                __fmu_runtime::lift::Cast(#inner).cast::<#real>()
            });
        }
        INTEGERS.contains(&target.as_str()).then(|| {
            parse_quote_spanned! {inner.span()=>
                __fmu_runtime::integer::CheckCast(#inner).checked() as #ty
            }
        })
    }
}

impl VisitMut for Lifter<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        Types(number()).visit_type_mut(ty);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if self.names.is_plain(expression) {
            self.lift_plain(expression, "lift");
            return;
        }
        let returns_plain = calls::returns_plain(expression, Some(&self.names));
        match expression {
            Expr::Lit(literal) if is_float(&literal.lit) => {
                let real = number();
                *expression = parse_quote_spanned! {literal.span()=>
                    <#real as __fmu_runtime::scalar::Scalar>::constant(#literal)
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
                _ => {
                    self.value(&mut binary.left);
                    self.value(&mut binary.right);
                }
            },
            Expr::Cast(cast) => {
                if let Some(lifted) = self.cast(cast) {
                    *expression = lifted;
                }
            }
            Expr::Macro(invocation) => macros::lift(&mut invocation.mac, self),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Try(inner) => self.handed_on(&mut inner.expr),
            // A reference to internal data, not to a copy of it.
            Expr::Reference(reference) if self.names.is_internal(&reference.expr) => {}
            // The length of `[0.0; N]` is a usize.
            Expr::Repeat(repeat) => self.visit_expr_mut(&mut repeat.expr),
            Expr::Assign(assign) => {
                visit_mut::visit_expr_mut(self, &mut assign.left);
                self.value(&mut assign.right);
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
        if returns_plain {
            *expression = calls::lift_result(expression);
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        match statement {
            Stmt::Macro(invocation) => macros::lift(&mut invocation.mac, self),
            // The result is not used.
            Stmt::Expr(expression, Some(_)) => self.handed_on(expression),
            other => visit_mut::visit_stmt_mut(self, other),
        }
    }

    fn visit_local_init_mut(&mut self, init: &mut LocalInit) {
        self.value(&mut init.expr);
        if let Some((_, otherwise)) = &mut init.diverge {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        self.value(&mut field.expr);
    }

    /// A function inside the body cannot see the scalar of the one around it and gets its own; other items stay.
    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Fn(function) = item {
            super::lift_function(function, self.errors);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        let before = self.errors.len();
        visit_mut::visit_arm_mut(self, arm);
        // What stands for a refused pattern must not make the arms below unreachable.
        if self.errors.len() > before && matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none() {
            arm.guard = Some((parse_quote!(if), parse_quote!(false)));
        }
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        let bound = |bound: &Option<Box<Expr>>| bound.as_ref().is_some_and(|bound| float(bound).is_some());
        let floating = match pattern {
            Pat::Lit(literal) => is_float(&literal.lit),
            Pat::Range(range) => bound(&range.start) || bound(&range.end),
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
            &Fields::default(),
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
        lift_block(&mut block, &parse_quote!(fn f()), &Fields::default(), &mut errors);
        assert_eq!(errors.messages().len(), 1);
    }
}
