//! Shared by the tests of the scalars: a random source, and every function of one and of two arguments.
#![allow(dead_code)]

pub mod models;

pub use test_support::random::Random;

use fmu_runtime::scalar::{Dual, Jet, Scalar, ScalarRef};

/// A function of one argument over every scalar, with an interval on which it is smooth.
pub struct Unary {
    pub name: &'static str,
    pub plain: fn(f64) -> f64,
    pub dual: fn(Dual<2>) -> Dual<2>,
    pub jet: fn(Jet<3>) -> Jet<3>,
    pub low: f64,
    pub high: f64,
}

/// A function of two arguments over every scalar, with a box on which it is smooth.
pub struct Binary {
    pub name: &'static str,
    pub plain: fn(f64, f64) -> f64,
    pub dual: fn(Dual<2>, Dual<2>) -> Dual<2>,
    pub jet: fn(Jet<3>, Jet<3>) -> Jet<3>,
    pub x: [f64; 2],
    pub y: [f64; 2],
}

macro_rules! unary {
    ($($name:ident in $low:literal .. $high:literal = |$x:ident| $f:expr;)*) => {
        /// Every function of one argument.
        pub fn unary() -> Vec<Unary> {
            vec![$({
                fn $name<S: Scalar>($x: S) -> S where for<'a> &'a S: ScalarRef<S> { $f }
                Unary { name: stringify!($name), plain: $name::<f64>, dual: $name::<Dual<2>>, jet: $name::<Jet<3>>, low: $low, high: $high }
            },)*]
        }
    };
}

macro_rules! binary {
    ($($name:ident in $x0:literal .. $x1:literal, $y0:literal .. $y1:literal = |$x:ident, $y:ident| $f:expr;)*) => {
        /// Every function of two arguments (and those of three, with two of them bound).
        pub fn binary() -> Vec<Binary> {
            vec![$({
                fn $name<S: Scalar>($x: S, $y: S) -> S { $f }
                Binary {
                    name: stringify!($name), plain: $name::<f64>, dual: $name::<Dual<2>>, jet: $name::<Jet<3>>,
                    x: [$x0, $x1], y: [$y0, $y1],
                }
            },)*]
        }
    };
}

unary! {
    negate in -3.0..3.0 = |x| -x;
    negate_reference in -3.0..3.0 = |x| { let y = &x; (-y).sin() };
    plus_plain in -3.0..3.0 = |x| x + 2.5;
    minus_plain in -3.0..3.0 = |x| x - 2.5;
    times_plain in -3.0..3.0 = |x| x * 2.5;
    over_plain in -3.0..3.0 = |x| x / 2.5;
    modulo_plain in 5.1..7.4 = |x| x % 2.5;
    literal_plus in -3.0..3.0 = |x| fmu_runtime::scalar::literal(2.5) + x;
    literal_minus in -3.0..3.0 = |x| fmu_runtime::scalar::literal(2.5) - x;
    literal_times in -3.0..3.0 = |x| fmu_runtime::scalar::literal(2.5) * x;
    literal_over in 0.5..3.0 = |x| fmu_runtime::scalar::literal(2.5) / x;
    literal_modulo in 1.3..2.4 = |x| fmu_runtime::scalar::literal(2.5) % x;
    powi_0 in -3.0..3.0 = |x| x.powi(0);
    powi_1 in -3.0..3.0 = |x| x.powi(1);
    powi_2 in -3.0..3.0 = |x| x.powi(2);
    powi_5 in -2.0..2.0 = |x| x.powi(5);
    powi_minus_3 in 0.5..2.0 = |x| x.powi(-3);
    powf_constant in 0.5..3.0 = |x| x.powf(S::constant(2.7));
    constant_powf in -2.0..2.0 = |x| S::constant(2.7).powf(x);
    negative_powf in -3.0..-0.5 = |x| x.powf(S::constant(3.0));
    sqrt in 0.5..4.0 = |x| x.sqrt();
    cbrt in 0.5..4.0 = |x| x.cbrt();
    cbrt_negative in -4.0..-0.5 = |x| x.cbrt();
    exp in -2.0..2.0 = |x| x.exp();
    exp2 in -2.0..2.0 = |x| x.exp2();
    exp_m1 in -2.0..2.0 = |x| x.exp_m1();
    ln in 0.5..4.0 = |x| x.ln();
    ln_1p in -0.4..2.0 = |x| x.ln_1p();
    log10 in 0.5..4.0 = |x| x.log10();
    log2 in 0.5..4.0 = |x| x.log2();
    sin in -4.0..4.0 = |x| x.sin();
    cos in -4.0..4.0 = |x| x.cos();
    tan in -1.0..1.0 = |x| x.tan();
    sin_of_pair in -4.0..4.0 = |x| x.sin_cos().0;
    cos_of_pair in -4.0..4.0 = |x| x.sin_cos().1;
    asin in -0.7..0.7 = |x| x.asin();
    acos in -0.7..0.7 = |x| x.acos();
    atan in -4.0..4.0 = |x| x.atan();
    sinh in -3.0..3.0 = |x| x.sinh();
    cosh in -3.0..3.0 = |x| x.cosh();
    tanh in -3.0..3.0 = |x| x.tanh();
    asinh in -3.0..3.0 = |x| x.asinh();
    acosh in 1.5..4.0 = |x| x.acosh();
    atanh in -0.7..0.7 = |x| x.atanh();
    abs_right in 0.5..3.0 = |x| x.abs();
    abs_left in -3.0..-0.5 = |x| x.abs();
    signum in 0.5..3.0 = |x| x.signum();
    recip in 0.5..3.0 = |x| x.recip();
    floor in 0.1..0.9 = |x| x.floor();
    ceil in 0.1..0.9 = |x| x.ceil();
    round in 0.6..0.9 = |x| x.round();
    round_ties_even in 0.6..0.9 = |x| x.round_ties_even();
    trunc in 0.1..0.9 = |x| x.trunc();
    fract in 3.1..3.9 = |x| x.fract();
    to_radians in -4.0..4.0 = |x| x.to_radians();
    to_degrees in -4.0..4.0 = |x| x.to_degrees();
    clamp_inside in -0.9..0.9 = |x| x.clamp(S::constant(-1.0), S::constant(1.0));
    sum_of_values in -2.0..2.0 = |x| [x, x * x, x.sin()].into_iter().sum();
    sum_of_references in -2.0..2.0 = |x| [x, x * x, x.sin()].iter().sum();
    product_of_values in -2.0..2.0 = |x| [x, x * x, x.sin()].into_iter().product();
    product_of_references in -2.0..2.0 = |x| [x, x * x, x.sin()].iter().product();
    assignments in 0.5..2.0 = |x| {
        let mut y = x;
        y += x; y *= &x; y -= 0.5; y /= x; y += 1.0; y *= 1.5; y /= 1.25; y -= &x; y += &x; y %= 100.0; y /= &x;
        y -= x * x; y *= x; y %= S::constant(100.0); y += fmu_runtime::scalar::literal(1.0);
        y
    };
}

binary! {
    add in -3.0..3.0, -3.0..3.0 = |x, y| x + y;
    subtract in -3.0..3.0, -3.0..3.0 = |x, y| { let y = &y; x - y };
    multiply in -3.0..3.0, -3.0..3.0 = |x, y| x * y;
    divide in -3.0..3.0, 0.5..3.0 = |x, y| x / y;
    modulo in 5.3..5.9, 2.4..2.6 = |x, y| x % y;
    modulo_negative in -5.9..-5.3, 2.4..2.6 = |x, y| x % y;
    rem_euclid in 5.3..5.9, 2.4..2.6 = |x, y| x.rem_euclid(y);
    rem_euclid_negative in -5.9..-5.3, 2.4..2.6 = |x, y| x.rem_euclid(y);
    rem_euclid_by_negative in -5.9..-5.3, -2.6..-2.4 = |x, y| x.rem_euclid(y);
    div_euclid in 5.3..5.9, 2.4..2.6 = |x, y| x.div_euclid(y);
    powf in 0.5..3.0, -2.0..2.0 = |x, y| x.powf(y);
    log in 0.5..3.0, 1.5..4.0 = |x, y| x.log(y);
    atan2 in 0.2..3.0, -3.0..3.0 = |x, y| x.atan2(y);
    atan2_below in -3.0..-0.2, -3.0..3.0 = |x, y| x.atan2(y);
    hypot in 0.5..3.0, -3.0..3.0 = |x, y| x.hypot(y);
    min_of_self in -3.0..-1.0, 1.0..3.0 = |x, y| x.min(y);
    min_of_other in -3.0..-1.0, 1.0..3.0 = |x, y| y.min(x);
    max_of_self in -3.0..-1.0, 1.0..3.0 = |x, y| y.max(x);
    max_of_other in -3.0..-1.0, 1.0..3.0 = |x, y| x.max(y);
    clamp_below in -3.0..-2.0, -1.0..0.0 = |x, y| x.clamp(y, S::constant(1.0));
    clamp_above in 2.0..3.0, 0.0..1.0 = |x, y| x.clamp(S::constant(-1.0), y);
    copysign in 0.5..3.0, 0.5..3.0 = |x, y| x.copysign(y);
    copysign_negative in 0.5..3.0, -3.0..-0.5 = |x, y| x.copysign(y);
    copysign_of_negative in -3.0..-0.5, -3.0..-0.5 = |x, y| x.copysign(y);
    mul_add in -3.0..3.0, -3.0..3.0 = |x, y| x.mul_add(y, x * x);
    mul_add_constant in -3.0..3.0, -3.0..3.0 = |x, y| S::constant(2.0).mul_add(x, y);
    midpoint in -3.0..3.0, -3.0..3.0 = |x, y| x.midpoint(y);
    fold in -3.0..-1.0, 1.0..3.0 = |x, y| [x, y].into_iter().fold(S::NEG_INFINITY, S::max) * x;
}

/// The first derivative by a central difference of order 8.
pub fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 4e-3 * (1.0 + x.abs());
    let d = |k: f64| f(x + k * h) - f(x - k * h);
    (d(1.0) * (4.0 / 5.0) - d(2.0) / 5.0 + d(3.0) * (4.0 / 105.0) - d(4.0) / 280.0) / h
}

/// Equal to a relative (or, near 0, absolute) tolerance.
pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}
