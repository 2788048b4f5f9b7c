//! The functions of `f64` on jets, each by the recurrence that its differential equation gives.

use super::Jet;
use crate::scalar::Scalar;
use crate::scalar::operators::{constants, predicates_by_value};

impl<const ORDER: usize> Jet<ORDER> {
    /// `self` to a constant power, at a value other than 0: `x y' = n y x'`.
    fn power(self, value: f64, n: f64) -> Self {
        let mut out = Jet::plain(value);
        for k in 1..=ORDER {
            let sum: f64 = (1..=k)
                .map(|j| (n * j as f64 - (k - j) as f64) * self.term(j) * out.term(k - j))
                .sum();
            out.terms[k - 1] = sum / (k as f64 * self.value);
        }
        out
    }

    /// `self` to a constant positive power, at the value 0: the leading term is taken out first.
    fn power_at_zero(self, n: f64) -> Self {
        let Some(leading) = self.leading() else {
            return Jet::plain(0.0);
        };
        let shift = n * leading as f64;
        let mut out = Jet::plain(0.0);
        if shift.fract() != 0.0 || shift > ORDER as f64 {
            if shift < 1.0 && ORDER > 0 {
                out.terms[0] = self.terms[0] * n * f64::MIN_POSITIVE.powf(n - 1.0);
            }
            return out;
        }
        let shift = shift as usize;
        let mut rest = Jet::<ORDER>::plain(self.term(leading));
        for k in 1..=ORDER {
            rest.terms[k - 1] = self.term(k + leading);
        }
        let start = if n == 1.0 / 3.0 {
            rest.value.cbrt()
        } else {
            rest.value.powf(n)
        };
        if start.is_nan() {
            return out;
        }
        let rest = rest.power(start, n);
        for k in shift.max(1)..=ORDER {
            let known = k - shift <= ORDER - leading;
            out.terms[k - 1] = if known { rest.term(k - shift) } else { 0.0 };
        }
        out
    }

    /// The series of `f` at a point where only its first derivative is given a (huge) value.
    fn first_order(self, value: f64, slope: f64) -> Self {
        let mut out = Jet::plain(value);
        if ORDER > 0 {
            out.terms[0] = self.terms[0] * slope;
        }
        out
    }

    fn is_constant(self) -> bool {
        self.terms.iter().all(|&term| term == 0.0)
    }

    /// The series of two functions, each of which is (up to a sign) the derivative of the other.
    fn paired(self, first: f64, second: f64, sign: f64) -> (Self, Self) {
        let (mut f, mut g) = (Jet::plain(first), Jet::plain(second));
        for k in 1..=ORDER {
            let df = self.chained(k, |j| g.term(j));
            let dg = self.chained(k, |j| sign * f.term(j));
            (f.terms[k - 1], g.terms[k - 1]) = (df, dg);
        }
        (f, g)
    }

    /// The series of the derivative (its last term is unknown and 0).
    fn rate(self) -> Self {
        let mut out = Jet::plain(self.term(1));
        for k in 1..=ORDER {
            out.terms[k - 1] = (k + 1) as f64 * self.term(k + 1);
        }
        out
    }
}

/// The slope that stands for an infinite one: see [`Dual`](crate::scalar::Dual).
fn steep() -> f64 {
    1.0 / f64::MIN_POSITIVE.sqrt()
}

impl<const ORDER: usize> Scalar for Jet<ORDER> {
    constants!(Jet::plain);

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Jet::plain(value)
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }

    fn same(self, other: Self) -> bool {
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        same((&self.value, &other.value)) && self.terms.iter().zip(&other.terms).all(same)
    }

    /// The rate of change is exact where the gradient is; the terms beyond are differences of it along the path.
    fn through<const K: usize>(
        arguments: [Self; K],
        value: &dyn Fn([f64; K]) -> f64,
        gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> Self {
        let along = |jet: &Self, t: f64| (0..=ORDER).rev().fold(0.0, |sum, k| sum * t + jet.term(k));
        let rate = |t: f64| -> f64 {
            let slopes = gradient(arguments.map(|argument| along(&argument, t)));
            let rates = arguments.iter().map(|argument| along(&argument.rate(), t));
            slopes.iter().zip(rates).map(|(slope, rate)| slope * rate).sum()
        };
        let mut out = Jet::plain(value(arguments.map(|argument| argument.value)));
        // A step over which no argument moves by much.
        let step = |argument: &Self| {
            let fastest = argument
                .terms
                .iter()
                .fold(1e-9f64, |all, term| all.max(term.abs()));
            2e-4 * argument.value.abs().max(0.1) / fastest
        };
        let h = arguments.iter().map(step).fold(1e9, f64::min);
        for k in 1..=ORDER {
            out.terms[k - 1] = match k {
                1 => rate(0.0),
                2 => (rate(h) - rate(-h)) / (4.0 * h),
                3 => (rate(h) - 2.0 * rate(0.0) + rate(-h)) / (6.0 * h * h),
                _ => 0.0,
            };
        }
        out
    }

    fn powi(self, n: i32) -> Self {
        let mut power = Jet::plain(1.0);
        let (mut base, mut left) = (self, n.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                power = power.times(base);
            }
            base = base.times(base);
            left >>= 1;
        }
        let power = if n < 0 { power.recip() } else { power };
        power.with_value(self.value.powi(n))
    }

    fn powf(self, n: Self) -> Self {
        let (x, p) = (self.value, n.value);
        let value = x.powf(p);
        if x > 0.0 && !n.is_constant() {
            return (n * self.ln()).exp().with_value(value);
        }
        if p.fract() == 0.0 && p.abs() <= f64::from(i32::MAX) {
            self.powi(p as i32).with_value(value)
        } else if x == 0.0 && p > 0.0 {
            self.power_at_zero(p)
        } else {
            self.power(value, p)
        }
    }

    fn sqrt(self) -> Self {
        if self.value == 0.0 {
            return self.power_at_zero(0.5).with_value(self.value.sqrt());
        }
        self.power(self.value.sqrt(), 0.5)
    }

    fn cbrt(self) -> Self {
        if self.value == 0.0 {
            return self.power_at_zero(1.0 / 3.0).with_value(self.value.cbrt());
        }
        self.power(self.value.cbrt(), 1.0 / 3.0)
    }

    fn exp(self) -> Self {
        self.solve(self.value.exp(), |y| y)
    }

    fn exp2(self) -> Self {
        self.solve(self.value.exp2(), |y| y * std::f64::consts::LN_2)
    }

    fn exp_m1(self) -> Self {
        self.exp().with_value(self.value.exp_m1())
    }

    fn ln(self) -> Self {
        self.chain(self.value.ln(), self.recip())
    }

    fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), (self + 1.0).recip())
    }

    fn log(self, base: Self) -> Self {
        (self.ln() / base.ln()).with_value(self.value.log(base.value))
    }

    fn log10(self) -> Self {
        self.chain(self.value.log10(), self.literal_over(std::f64::consts::LOG10_E))
    }

    fn log2(self) -> Self {
        self.chain(self.value.log2(), self.literal_over(std::f64::consts::LOG2_E))
    }

    fn sin(self) -> Self {
        self.sin_cos().0
    }

    fn cos(self) -> Self {
        self.sin_cos().1
    }

    fn tan(self) -> Self {
        self.solve(self.value.tan(), |y| y * y + 1.0)
    }

    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        self.paired(sin, cos, -1.0)
    }

    fn asin(self) -> Self {
        let square = self.literal_minus(1.0) * (self + 1.0);
        if square.value == 0.0 {
            return self.first_order(self.value.asin(), steep());
        }
        self.chain(self.value.asin(), square.sqrt().recip())
    }

    fn acos(self) -> Self {
        self.asin().negated().with_value(self.value.acos())
    }

    fn atan(self) -> Self {
        self.chain(self.value.atan(), (self * self + 1.0).recip())
    }

    fn atan2(self, other: Self) -> Self {
        let value = self.value.atan2(other.value);
        let radius = self.value.hypot(other.value);
        if radius == 0.0 {
            return Jet::plain(value);
        }
        let (y, x) = (self / radius, other / radius);
        let rate = (x * y.rate() - y * x.rate()) / (x * x + y * y);
        Jet::variable(0.0).chain(value, rate)
    }

    fn sinh(self) -> Self {
        self.paired(self.value.sinh(), self.value.cosh(), 1.0).0
    }

    fn cosh(self) -> Self {
        self.paired(self.value.sinh(), self.value.cosh(), 1.0).1
    }

    fn tanh(self) -> Self {
        // Beyond, every derivative is below the smallest number.
        if self.value.abs() > 400.0 {
            return Jet::plain(self.value.tanh());
        }
        let cosh = self.cosh();
        self.chain(self.value.tanh(), cosh.recip() / cosh)
    }

    fn asinh(self) -> Self {
        self.chain(self.value.asinh(), self.hypot(Jet::plain(1.0)).recip())
    }

    fn acosh(self) -> Self {
        if self.value == 1.0 {
            return self.first_order(self.value.acosh(), steep() * std::f64::consts::FRAC_1_SQRT_2);
        }
        self.chain(
            self.value.acosh(),
            ((self - 1.0).sqrt() * (self + 1.0).sqrt()).recip(),
        )
    }

    fn atanh(self) -> Self {
        self.chain(
            self.value.atanh(),
            (self.literal_minus(1.0) * (self + 1.0)).recip(),
        )
    }

    fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        let scale = if value == 0.0 { 1.0 } else { value };
        let (x, y) = (self / scale, other / scale);
        ((x * x + y * y).sqrt() * scale).with_value(value)
    }

    fn abs(self) -> Self {
        let value = self.value.abs();
        if self.next_negative() {
            self.negated().with_value(value)
        } else {
            self.with_value(value)
        }
    }

    fn signum(self) -> Self {
        Jet::plain(self.value.signum())
    }

    fn copysign(self, sign: Self) -> Self {
        let magnitude = self.abs();
        if sign.value.is_sign_negative() {
            magnitude.negated()
        } else {
            magnitude
        }
    }

    fn min(self, other: Self) -> Self {
        let of = if other.next_below(self) || self.value.is_nan() {
            other
        } else {
            self
        };
        of.with_value(self.value.min(other.value))
    }

    fn max(self, other: Self) -> Self {
        let of = if self.next_below(other) || self.value.is_nan() {
            other
        } else {
            self
        };
        of.with_value(self.value.max(other.value))
    }

    fn clamp(self, min: Self, max: Self) -> Self {
        let value = self.value.clamp(min.value, max.value);
        let of = if self.next_below(min) {
            min
        } else if max.next_below(self) {
            max
        } else {
            self
        };
        of.with_value(value)
    }

    fn mul_add(self, a: Self, b: Self) -> Self {
        (self * a + b).with_value(self.value.mul_add(a.value, b.value))
    }

    fn recip(self) -> Self {
        self.literal_over(1.0)
    }

    fn rem_euclid(self, rhs: Self) -> Self {
        self.remainder(rhs, self.value.rem_euclid(rhs.value))
    }

    fn div_euclid(self, rhs: Self) -> Self {
        Jet::plain(self.value.div_euclid(rhs.value))
    }

    fn floor(self) -> Self {
        Jet::plain(self.value.floor())
    }

    fn ceil(self) -> Self {
        Jet::plain(self.value.ceil())
    }

    fn round(self) -> Self {
        Jet::plain(self.value.round())
    }

    fn round_ties_even(self) -> Self {
        Jet::plain(self.value.round_ties_even())
    }

    fn trunc(self) -> Self {
        Jet::plain(self.value.trunc())
    }

    fn fract(self) -> Self {
        self.with_value(self.value.fract())
    }

    fn to_radians(self) -> Self {
        (self * 1.0f64.to_radians()).with_value(self.value.to_radians())
    }

    fn to_degrees(self) -> Self {
        (self * 1.0f64.to_degrees()).with_value(self.value.to_degrees())
    }

    fn midpoint(self, other: Self) -> Self {
        ((self + other) * 0.5).with_value(self.value.midpoint(other.value))
    }

    predicates_by_value!();
}
