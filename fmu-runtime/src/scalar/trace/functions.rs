//! The functions of `f64` on expressions: operations, all of them, and none a decision.

use std::cmp::Ordering;

use super::Trace;
use super::arena::{Op, Unary};
use super::session::{Property, has, total_order, with};
use crate::scalar::operators::constants;
use crate::scalar::{Scalar, Symbol};

macro_rules! unary {
    ($($name:ident $variant:ident,)*) => {
        $(fn $name(self) -> Self {
            self.unary(Unary::$variant)
        })*
    };
}

macro_rules! binary {
    ($($name:ident $variant:ident,)*) => {
        $(fn $name(self, other: Self) -> Self {
            self.binary(Op::$variant, other)
        })*
    };
}

macro_rules! properties {
    ($($name:ident $variant:ident,)*) => {
        $(#[track_caller]
        fn $name(self) -> bool {
            has(self, Property::$variant, f64::$name)
        })*
    };
}

impl Scalar for Trace {
    constants!(Trace::new);

    const SYMBOLIC: bool = true;

    fn constant(value: f64) -> Self {
        Trace::new(value)
    }

    /// The value of a constant, and NaN for all else: an expression has no value.
    fn value(self) -> f64 {
        self.as_constant().unwrap_or(f64::NAN)
    }

    fn same(self, other: Self) -> bool {
        self.0 == other.0
    }

    fn symbol(symbol: Symbol, arguments: &[Self]) -> Option<Self> {
        if arguments.iter().all(|argument| argument.as_constant().is_some()) {
            return None;
        }
        Some(with(|session| session.function(symbol, arguments)))
    }

    fn obscured(self, because: &'static str) -> Self {
        with(|session| session.obscured(because))
    }

    /// Only constants get here: all else is a symbol.
    fn through<const K: usize>(
        arguments: [Self; K],
        value: &dyn Fn([f64; K]) -> f64,
        _gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> Self {
        Trace::new(value(arguments.map(Scalar::value)))
    }

    fn pivot_weight(self) -> f64 {
        self.as_constant().map_or(1.0, f64::abs)
    }

    unary! {
        sqrt Sqrt, cbrt Cbrt, exp Exp, exp2 Exp2, exp_m1 ExpM1, ln Ln, ln_1p Ln1p, log10 Log10, log2 Log2,
        sin Sin, cos Cos, tan Tan, asin Asin, acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh,
        asinh Asinh, acosh Acosh, atanh Atanh, abs Abs, signum Signum, floor Floor, ceil Ceil, round Round,
        round_ties_even RoundTiesEven, trunc Trunc, fract Fract,
    }

    binary! {
        powf Powf, log Log, atan2 Atan2, hypot Hypot, copysign Copysign, min Min, max Max,
        rem_euclid RemEuclid, div_euclid DivEuclid,
    }

    fn powi(self, n: i32) -> Self {
        with(|session| session.arena.powi(self, n))
    }

    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    fn clamp(self, min: Self, max: Self) -> Self {
        self.max(min).min(max)
    }

    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    fn recip(self) -> Self {
        Trace::new(1.0) / self
    }

    fn to_radians(self) -> Self {
        self * 1.0f64.to_radians()
    }

    fn to_degrees(self) -> Self {
        self * 1.0f64.to_degrees()
    }

    fn midpoint(self, other: Self) -> Self {
        (self + other) * 0.5
    }

    properties! {
        is_nan Nan, is_finite Finite, is_infinite Infinite, is_normal Normal, is_subnormal Subnormal,
        is_sign_negative SignNegative,
    }

    #[track_caller]
    fn is_sign_positive(self) -> bool {
        !self.is_sign_negative()
    }

    #[track_caller]
    fn total_cmp(&self, other: &Self) -> Ordering {
        total_order(*self, *other)
    }
}
