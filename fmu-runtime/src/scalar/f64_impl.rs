//! `f64` itself: every method forwards, at no cost.

use std::cmp::Ordering;

use super::Scalar;
use super::operators::constants;

macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(#[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            f64::$name(self, $($arg),*)
        })*
    };
}

impl Scalar for f64 {
    constants!(std::convert::identity);

    #[inline(always)]
    fn constant(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }

    #[inline(always)]
    fn same(self, other: f64) -> bool {
        self.to_bits() == other.to_bits()
    }

    #[inline(always)]
    fn through<const K: usize>(
        arguments: [f64; K],
        value: &dyn Fn([f64; K]) -> f64,
        _gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> f64 {
        value(arguments)
    }

    #[inline(always)]
    fn total_cmp(&self, other: &f64) -> Ordering {
        f64::total_cmp(self, other)
    }

    forward! {
        fn powi(n: i32) -> f64;
        fn powf(n: f64) -> f64;
        fn sqrt() -> f64;
        fn cbrt() -> f64;
        fn exp() -> f64;
        fn exp2() -> f64;
        fn exp_m1() -> f64;
        fn ln() -> f64;
        fn ln_1p() -> f64;
        fn log(base: f64) -> f64;
        fn log10() -> f64;
        fn log2() -> f64;
        fn sin() -> f64;
        fn cos() -> f64;
        fn tan() -> f64;
        fn sin_cos() -> (f64, f64);
        fn asin() -> f64;
        fn acos() -> f64;
        fn atan() -> f64;
        fn atan2(other: f64) -> f64;
        fn sinh() -> f64;
        fn cosh() -> f64;
        fn tanh() -> f64;
        fn asinh() -> f64;
        fn acosh() -> f64;
        fn atanh() -> f64;
        fn hypot(other: f64) -> f64;
        fn abs() -> f64;
        fn signum() -> f64;
        fn copysign(sign: f64) -> f64;
        fn min(other: f64) -> f64;
        fn max(other: f64) -> f64;
        fn clamp(min: f64, max: f64) -> f64;
        fn mul_add(a: f64, b: f64) -> f64;
        fn recip() -> f64;
        fn rem_euclid(rhs: f64) -> f64;
        fn div_euclid(rhs: f64) -> f64;
        fn floor() -> f64;
        fn ceil() -> f64;
        fn round() -> f64;
        fn round_ties_even() -> f64;
        fn trunc() -> f64;
        fn fract() -> f64;
        fn to_radians() -> f64;
        fn to_degrees() -> f64;
        fn midpoint(other: f64) -> f64;
        fn is_nan() -> bool;
        fn is_finite() -> bool;
        fn is_infinite() -> bool;
        fn is_normal() -> bool;
        fn is_subnormal() -> bool;
        fn is_sign_positive() -> bool;
        fn is_sign_negative() -> bool;
    }
}
