//! A float literal as an operand: it depends on nothing, and arithmetic may know that.

use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Rem, RemAssign, Sub, SubAssign};

use super::Scalar;

/// A constant in lifted code that stands beside an operator, as the `2.0` in `2.0 * x`.
///
/// `S::constant(2.0) * x` would be right too, but would multiply derivatives that are known to be 0.
/// With another operand that is a scalar the result is a scalar, on either side.
///
/// ```
/// use fmu_runtime::scalar::{Dual, literal};
///
/// let x = Dual::<1>::variable(3.0, 0);
/// let y = literal(1.0) / x * literal(2.0);
/// assert_eq!((y.value, y.lanes), (2.0 / 3.0, [-2.0 / 9.0]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Literal<S> {
    value: f64,
    scalar: PhantomData<S>,
}

/// A literal beside an operator.
#[inline(always)]
pub fn literal<S: Scalar>(value: f64) -> Literal<S> {
    Literal {
        value,
        scalar: PhantomData,
    }
}

macro_rules! literal_operators {
    ($($op:ident $method:ident $assign:ident $assign_method:ident |$l:ident, $x:ident| $left:expr;)*) => {
        $(
            impl<S: Scalar> $op<S> for Literal<S> {
                type Output = S;

                #[inline(always)]
                fn $method(self, $x: S) -> S {
                    let $l = self.value;
                    $left
                }
            }

            impl<S: Scalar> $op<&S> for Literal<S> {
                type Output = S;

                #[inline(always)]
                fn $method(self, rhs: &S) -> S {
                    self.$method(*rhs)
                }
            }

            impl<S: Scalar> $op<Literal<S>> for Literal<S> {
                type Output = S;

                #[inline(always)]
                fn $method(self, rhs: Literal<S>) -> S {
                    S::constant(self.value.$method(rhs.value))
                }
            }

            impl<S: Scalar> $op<Literal<S>> for f64 {
                type Output = S;

                #[inline(always)]
                fn $method(self, rhs: Literal<S>) -> S {
                    S::constant(self.$method(rhs.value))
                }
            }

            impl<S: Scalar> $op<Literal<S>> for &f64 {
                type Output = S;

                #[inline(always)]
                fn $method(self, rhs: Literal<S>) -> S {
                    S::constant(self.$method(rhs.value))
                }
            }

            impl $assign<Literal<f64>> for f64 {
                #[inline(always)]
                fn $assign_method(&mut self, rhs: Literal<f64>) {
                    self.$assign_method(rhs.value);
                }
            }
        )*
    };
}

literal_operators! {
    Add add AddAssign add_assign |l, x| x + l;
    Sub sub SubAssign sub_assign |l, x| x.literal_minus(l);
    Mul mul MulAssign mul_assign |l, x| x * l;
    Div div DivAssign div_assign |l, x| x.literal_over(l);
    Rem rem RemAssign rem_assign |l, x| S::constant(l) % x;
}

impl<S: Scalar> Literal<S> {
    /// The number.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.value
    }
}
