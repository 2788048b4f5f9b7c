//! The trait itself: everything that `f64` code may do with its numbers.

use std::cmp::Ordering;
use std::fmt::{Debug, Display, LowerExp};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::{Backend, Literal};

/// Arithmetic with `T` on the right, into `S`.
pub trait Operand<T, S>:
    Sized + Add<T, Output = S> + Sub<T, Output = S> + Mul<T, Output = S> + Div<T, Output = S> + Rem<T, Output = S>
{
}

impl<L, T, S> Operand<T, S> for L where
    L: Add<T, Output = S> + Sub<T, Output = S> + Mul<T, Output = S> + Div<T, Output = S> + Rem<T, Output = S>
{
}

/// What a *reference* to a scalar can do: `x * 2.0` where `x: &S`, as in
/// `xs.iter().map(|x| x * 2.0)`.
///
/// Rust implies no bounds on `&S` from a bound on `S`, so generic code states it:
/// `where for<'a> &'a S: ScalarRef<S>`.
pub trait ScalarRef<S>:
    Copy + Operand<S, S> + Operand<f64, S> + Operand<Literal<S>, S> + for<'b> Operand<&'b S, S> + Neg<Output = S>
{
}

impl<S, T> ScalarRef<S> for T where
    T: Copy
        + Operand<S, S>
        + Operand<f64, S>
        + Operand<Literal<S>, S>
        + for<'b> Operand<&'b S, S>
        + Neg<Output = S>
{
}

/// What a function is known by in expressions.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Symbol {
    /// The same number is the same function.
    Named(u64),
    /// The same number is the same function only after the same decisions, and at the same call among several.
    Here(u64),
}

/// A number that `f64` code can be written over.
///
/// Methods and constants have the names, signatures and meaning of those of `f64`; what a
/// scalar carries beside the value (derivatives, a Taylor series, an expression) follows.
pub trait Scalar:
    Copy
    + Debug
    + Display
    + LowerExp
    + Default
    + Send
    + Sync
    + 'static
    + PartialEq
    + PartialOrd
    + PartialEq<f64>
    + PartialOrd<f64>
    + Neg<Output = Self>
    + Operand<Self, Self>
    + Operand<f64, Self>
    + Operand<Literal<Self>, Self>
    + for<'a> Operand<&'a Self, Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + AddAssign<f64>
    + SubAssign<f64>
    + MulAssign<f64>
    + DivAssign<f64>
    + RemAssign<f64>
    + AddAssign<Literal<Self>>
    + SubAssign<Literal<Self>>
    + MulAssign<Literal<Self>>
    + DivAssign<Literal<Self>>
    + RemAssign<Literal<Self>>
    + for<'a> AddAssign<&'a Self>
    + for<'a> SubAssign<&'a Self>
    + for<'a> MulAssign<&'a Self>
    + for<'a> DivAssign<&'a Self>
    + for<'a> RemAssign<&'a Self>
    + Sum
    + Product
    + for<'a> Sum<&'a Self>
    + for<'a> Product<&'a Self>
    + From<f64>
    + From<f32>
    + From<i8>
    + From<i16>
    + From<i32>
    + From<u8>
    + From<u16>
    + From<u32>
    + From<bool>
    + Backend
{
    /// Positive infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// The difference between 1 and the next larger number.
    const EPSILON: Self;
    /// The largest finite number.
    const MAX: Self;
    /// The smallest finite number.
    const MIN: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;

    /// Whether it is an expression and has no value.
    #[doc(hidden)]
    const SYMBOLIC: bool = false;

    /// A number that depends on nothing.
    fn constant(value: f64) -> Self;
    /// The value alone.
    fn value(self) -> f64;

    /// Equal in every bit, derivatives and dependencies included: no equation can distinguish the two.
    #[doc(hidden)]
    fn same(self, other: Self) -> bool;

    /// A function as one operation, for scalars that build expressions; nothing for those that compute.
    #[doc(hidden)]
    #[inline(always)]
    fn symbol(_symbol: Symbol, _arguments: &[Self]) -> Option<Self> {
        None
    }

    /// What may depend on anything, for scalars that build expressions; the number itself for those that compute.
    #[doc(hidden)]
    #[inline(always)]
    fn obscured(self, _because: &'static str) -> Self {
        self
    }

    /// A function by its value and its gradient.
    #[doc(hidden)]
    fn through<const K: usize>(
        arguments: [Self; K],
        value: &dyn Fn([f64; K]) -> f64,
        gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> Self;

    /// How good a pivot it makes; 0 for what is 0 always or here.
    #[doc(hidden)]
    #[inline(always)]
    fn pivot_weight(self) -> f64 {
        self.value().abs()
    }

    /// `literal - self`.
    #[doc(hidden)]
    #[inline(always)]
    fn literal_minus(self, literal: f64) -> Self {
        Self::constant(literal) - self
    }

    /// `literal / self`.
    #[doc(hidden)]
    #[inline(always)]
    fn literal_over(self, literal: f64) -> Self {
        Self::constant(literal) / self
    }

    /// `self` to an integer power.
    fn powi(self, n: i32) -> Self;
    /// `self` to the power `n`.
    fn powf(self, n: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Cube root.
    fn cbrt(self) -> Self;
    /// e to the power `self`.
    fn exp(self) -> Self;
    /// 2 to the power `self`.
    fn exp2(self) -> Self;
    /// `exp(self) - 1`, accurate near 0.
    fn exp_m1(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// `ln(1 + self)`, accurate near 0.
    fn ln_1p(self) -> Self;
    /// Logarithm to a base.
    fn log(self, base: Self) -> Self;
    /// Logarithm to base 10.
    fn log10(self) -> Self;
    /// Logarithm to base 2.
    fn log2(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Arc sine.
    fn asin(self) -> Self;
    /// Arc cosine.
    fn acos(self) -> Self;
    /// Arc tangent.
    fn atan(self) -> Self;
    /// Angle of the point (`other`, `self`).
    fn atan2(self, other: Self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// Inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// Inverse hyperbolic tangent.
    fn atanh(self) -> Self;
    /// Length of the hypotenuse.
    fn hypot(self, other: Self) -> Self;

    /// Absolute value.
    fn abs(self) -> Self;
    /// 1 with the sign of `self`.
    fn signum(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// The smaller of two numbers.
    fn min(self, other: Self) -> Self;
    /// The larger of two numbers.
    fn max(self, other: Self) -> Self;
    /// `self` held between `min` and `max`.
    fn clamp(self, min: Self, max: Self) -> Self;
    /// `self * a + b` with one rounding.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `1 / self`.
    fn recip(self) -> Self;
    /// The least nonnegative remainder.
    fn rem_euclid(self, rhs: Self) -> Self;
    /// The quotient that belongs to [`Scalar::rem_euclid`].
    fn div_euclid(self, rhs: Self) -> Self;
    /// The largest integer not above.
    fn floor(self) -> Self;
    /// The smallest integer not below.
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from 0.
    fn round(self) -> Self;
    /// The nearest integer, halves to even.
    fn round_ties_even(self) -> Self;
    /// The integer part.
    fn trunc(self) -> Self;
    /// The fractional part.
    fn fract(self) -> Self;
    /// Degrees to radians.
    fn to_radians(self) -> Self;
    /// Radians to degrees.
    fn to_degrees(self) -> Self;
    /// The mean of two numbers.
    fn midpoint(self, other: Self) -> Self;

    /// Whether it is not a number.
    fn is_nan(self) -> bool;
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether it is infinite.
    fn is_infinite(self) -> bool;
    /// Whether it is neither zero, infinite, subnormal nor NaN.
    fn is_normal(self) -> bool;
    /// Whether it is subnormal.
    fn is_subnormal(self) -> bool;
    /// Whether the sign bit is clear.
    fn is_sign_positive(self) -> bool;
    /// Whether the sign bit is set.
    fn is_sign_negative(self) -> bool;
    /// The total order of `f64`.
    fn total_cmp(&self, other: &Self) -> Ordering;
}
