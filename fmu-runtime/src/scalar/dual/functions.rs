//! The functions of `f64` on dual numbers: value, slope, chain rule.

use super::{Dual, each};
use crate::scalar::Scalar;
use crate::scalar::operators::{constants, predicates_by_value};

/// `sqrt` for use under a fraction bar: never 0, so that the quotient stays finite.
#[inline(always)]
fn root_below(x: f64) -> f64 {
    x.max(f64::MIN_POSITIVE).sqrt()
}

impl<const N: usize> Scalar for Dual<N> {
    constants!(Dual::plain);

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Dual::plain(value)
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }

    fn same(self, other: Self) -> bool {
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        same((&self.value, &other.value)) && self.lanes.iter().zip(&other.lanes).all(same)
    }

    fn through<const K: usize>(
        arguments: [Self; K],
        value: &dyn Fn([f64; K]) -> f64,
        gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> Self {
        let x = arguments.map(|argument| argument.value);
        let mut out = Dual::plain(value(x));
        for (slope, argument) in gradient(x).into_iter().zip(arguments) {
            out = out.plus(argument.chain(0.0, slope));
        }
        out
    }

    #[inline(always)]
    fn literal_minus(self, literal: f64) -> Self {
        Dual {
            value: literal - self.value,
            lanes: each(self.lanes, |d| -d),
        }
    }

    #[inline(always)]
    fn literal_over(self, literal: f64) -> Self {
        let value = literal / self.value;
        self.chain(value, -value / self.value)
    }

    #[inline]
    fn powi(self, n: i32) -> Self {
        let x = self.value;
        let slope = match n {
            0 => 0.0,
            1 => 1.0,
            2 => 2.0 * x,
            i32::MIN => f64::from(n) * x.powi(n) / x,
            _ => f64::from(n) * x.powi(n - 1),
        };
        self.chain(x.powi(n), slope)
    }

    #[inline]
    fn powf(self, n: Self) -> Self {
        let (x, p) = (self.value, n.value);
        let value = x.powf(p);
        let by_base = if p == 0.0 {
            0.0
        } else if x == 0.0 && p > 0.0 && p < 1.0 {
            p * f64::MIN_POSITIVE.powf(p - 1.0)
        } else {
            p * x.powf(p - 1.0)
        };
        let by_exponent = if x > 0.0 { value * x.ln() } else { 0.0 };
        self.chain2(n, value, by_base, by_exponent)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let below = if root == 0.0 {
            f64::MIN_POSITIVE.sqrt()
        } else {
            root
        };
        self.chain(root, 0.5 / below)
    }

    #[inline]
    fn cbrt(self) -> Self {
        let root = self.value.cbrt();
        let below = if root == 0.0 {
            f64::MIN_POSITIVE.cbrt()
        } else {
            root
        };
        self.chain(root, 1.0 / (3.0 * below * below))
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }

    #[inline(always)]
    fn exp2(self) -> Self {
        let value = self.value.exp2();
        self.chain(value, value * std::f64::consts::LN_2)
    }

    #[inline(always)]
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }

    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), 1.0 / (1.0 + self.value))
    }

    #[inline]
    fn log(self, base: Self) -> Self {
        let value = self.value.log(base.value);
        let scale = base.value.ln();
        self.chain2(
            base,
            value,
            1.0 / (self.value * scale),
            -value / (base.value * scale),
        )
    }

    #[inline(always)]
    fn log10(self) -> Self {
        self.chain(self.value.log10(), std::f64::consts::LOG10_E / self.value)
    }

    #[inline(always)]
    fn log2(self) -> Self {
        self.chain(self.value.log2(), std::f64::consts::LOG2_E / self.value)
    }

    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }

    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }

    #[inline(always)]
    fn tan(self) -> Self {
        let value = self.value.tan();
        self.chain(value, 1.0 + value * value)
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    #[inline(always)]
    fn asin(self) -> Self {
        let x = self.value;
        self.chain(x.asin(), 1.0 / root_below((1.0 - x) * (1.0 + x)))
    }

    #[inline(always)]
    fn acos(self) -> Self {
        let x = self.value;
        self.chain(x.acos(), -1.0 / root_below((1.0 - x) * (1.0 + x)))
    }

    #[inline(always)]
    fn atan(self) -> Self {
        let x = self.value;
        self.chain(x.atan(), 1.0 / (1.0 + x * x))
    }

    #[inline]
    fn atan2(self, other: Self) -> Self {
        let (y, x) = (self.value, other.value);
        let value = y.atan2(x);
        let r = y.hypot(x);
        let (by_y, by_x) = if r == 0.0 {
            (0.0, 0.0)
        } else {
            (x / r / r, -y / r / r)
        };
        self.chain2(other, value, by_y, by_x)
    }

    #[inline(always)]
    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }

    #[inline(always)]
    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }

    #[inline(always)]
    fn tanh(self) -> Self {
        // 1 - tanh^2 would lose its digits where tanh is near 1.
        let cosh = self.value.cosh();
        self.chain(self.value.tanh(), 1.0 / cosh / cosh)
    }

    #[inline(always)]
    fn asinh(self) -> Self {
        self.chain(self.value.asinh(), 1.0 / self.value.hypot(1.0))
    }

    #[inline(always)]
    fn acosh(self) -> Self {
        let x = self.value;
        self.chain(x.acosh(), 1.0 / (root_below(x - 1.0) * (x + 1.0).sqrt()))
    }

    #[inline(always)]
    fn atanh(self) -> Self {
        let x = self.value;
        self.chain(x.atanh(), 1.0 / ((1.0 - x) * (1.0 + x)))
    }

    #[inline]
    fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        let (by_self, by_other) = if value == 0.0 {
            (1.0, 1.0)
        } else {
            (self.value / value, other.value / value)
        };
        self.chain2(other, value, by_self, by_other)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(self.value.abs(), if self.value < 0.0 { -1.0 } else { 1.0 })
    }

    #[inline(always)]
    fn signum(self) -> Self {
        Self::step(self.value.signum())
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let magnitude = if self.value < 0.0 { -1.0f64 } else { 1.0 };
        let slope = if sign.value.is_sign_negative() {
            -magnitude
        } else {
            magnitude
        };
        self.chain(self.value.copysign(sign.value), slope)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let of = if other.value < self.value || self.value.is_nan() {
            other
        } else {
            self
        };
        of.with_value(self.value.min(other.value))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let of = if other.value > self.value || self.value.is_nan() {
            other
        } else {
            self
        };
        of.with_value(self.value.max(other.value))
    }

    #[inline(always)]
    fn clamp(self, min: Self, max: Self) -> Self {
        let value = self.value.clamp(min.value, max.value);
        let of = if self.value < min.value {
            min
        } else if self.value > max.value {
            max
        } else {
            self
        };
        of.with_value(value)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        let value = self.value.mul_add(a.value, b.value);
        self.chain2(a, value, a.value, self.value)
            .plus(b)
            .with_value(value)
    }

    #[inline(always)]
    fn recip(self) -> Self {
        self.literal_over(1.0)
    }

    #[inline]
    fn rem_euclid(self, rhs: Self) -> Self {
        self.remainder(rhs, self.value.rem_euclid(rhs.value))
    }

    #[inline(always)]
    fn div_euclid(self, rhs: Self) -> Self {
        Self::step(self.value.div_euclid(rhs.value))
    }

    #[inline(always)]
    fn floor(self) -> Self {
        Self::step(self.value.floor())
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        Self::step(self.value.ceil())
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self::step(self.value.round())
    }

    #[inline(always)]
    fn round_ties_even(self) -> Self {
        Self::step(self.value.round_ties_even())
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        Self::step(self.value.trunc())
    }

    #[inline(always)]
    fn fract(self) -> Self {
        self.with_value(self.value.fract())
    }

    #[inline(always)]
    fn to_radians(self) -> Self {
        self.chain(self.value.to_radians(), 1.0f64.to_radians())
    }

    #[inline(always)]
    fn to_degrees(self) -> Self {
        self.chain(self.value.to_degrees(), 1.0f64.to_degrees())
    }

    #[inline(always)]
    fn midpoint(self, other: Self) -> Self {
        self.chain2(other, self.value.midpoint(other.value), 0.5, 0.5)
    }

    predicates_by_value!();
}
