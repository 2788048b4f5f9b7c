//! Jets: a truncated Taylor series in one variable, usually time.

mod functions;

use super::operators::{by_value, operators, sums};

/// A value that moves: the Taylor series in one variable up to `ORDER`, exact to rounding.
///
/// `terms[k - 1]` is the coefficient of the `k`-th power, that is the `k`-th derivative divided by `k!`.
///
/// ```
/// use fmu_runtime::scalar::{Jet, Scalar};
///
/// let t = Jet::<3>::variable(0.5);
/// let y = (t * 2.0).sin();
/// assert_eq!(y.value, 1f64.sin());
/// assert!((y.derivative(3) + 8.0 * 1f64.cos()).abs() < 1e-14);
/// ```
///
/// # At kinks
///
/// One variable has a direction: a jet describes what comes next, so where a function has two
/// one-sided derivatives the right-sided one is taken (`abs`, `min`, `max`, `clamp`, `hypot`, `sqrt` of a
/// square). An infinite first derivative (`sqrt` at 0) is huge and finite as with
/// [`Dual`](super::Dual), and infinite higher ones are 0; so is a term that would need a term
/// beyond `ORDER` of the argument.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Jet<const ORDER: usize> {
    /// The value.
    pub value: f64,
    /// The coefficients of the powers 1 to `ORDER`.
    pub terms: [f64; ORDER],
}

impl<const ORDER: usize> Jet<ORDER> {
    /// A series with given terms.
    #[inline(always)]
    pub const fn new(value: f64, terms: [f64; ORDER]) -> Self {
        Jet { value, terms }
    }

    /// A value that does not move.
    #[inline(always)]
    pub const fn plain(value: f64) -> Self {
        Jet {
            value,
            terms: [0.0; ORDER],
        }
    }

    /// The variable itself.
    #[inline(always)]
    pub const fn variable(value: f64) -> Self {
        let mut terms = [0.0; ORDER];
        if ORDER > 0 {
            terms[0] = 1.0;
        }
        Jet { value, terms }
    }

    /// A series with given derivatives of order 1 and up (those beyond `ORDER` are left out).
    pub fn from_derivatives(value: f64, derivatives: &[f64]) -> Self {
        let mut factorial = 1.0;
        let mut jet = Jet::plain(value);
        for (k, (term, derivative)) in jet.terms.iter_mut().zip(derivatives).enumerate() {
            factorial *= (k + 1) as f64;
            *term = derivative / factorial;
        }
        jet
    }

    /// The derivative of order `k`; 0 beyond `ORDER`.
    pub fn derivative(&self, k: usize) -> f64 {
        (1..=k).fold(self.term(k), |product, j| product * j as f64)
    }

    /// The coefficient of the `k`-th power.
    #[inline(always)]
    fn term(&self, k: usize) -> f64 {
        match k {
            0 => self.value,
            k if k <= ORDER => self.terms[k - 1],
            _ => 0.0,
        }
    }

    #[inline(always)]
    fn with_value(self, value: f64) -> Self {
        Jet { value, ..self }
    }

    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        Jet {
            value: f(self.value),
            terms: self.terms.map(f),
        }
    }

    #[inline(always)]
    fn both(self, rhs: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self.with_value(f(self.value, rhs.value));
        for k in 0..ORDER {
            out.terms[k] = f(self.terms[k], rhs.terms[k]);
        }
        out
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> Self {
        self.both(rhs, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> Self {
        self.both(rhs, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, rhs: Self) -> Self {
        let mut out = Jet::plain(self.value * rhs.value);
        for k in 1..=ORDER {
            out.terms[k - 1] = (0..=k).map(|j| self.term(j) * rhs.term(k - j)).sum();
        }
        out
    }

    #[inline(always)]
    fn over(self, rhs: Self) -> Self {
        let mut out = Jet::plain(self.value / rhs.value);
        for k in 1..=ORDER {
            let known: f64 = (1..=k).map(|j| rhs.term(j) * out.term(k - j)).sum();
            out.terms[k - 1] = (self.term(k) - known) / rhs.value;
        }
        out
    }

    #[inline(always)]
    fn modulo(self, rhs: Self) -> Self {
        self.remainder(rhs, self.value % rhs.value)
    }

    #[inline(always)]
    fn plus_plain(self, rhs: f64) -> Self {
        self.with_value(self.value + rhs)
    }

    #[inline(always)]
    fn minus_plain(self, rhs: f64) -> Self {
        self.with_value(self.value - rhs)
    }

    #[inline(always)]
    fn times_plain(self, rhs: f64) -> Self {
        self.each(|x| x * rhs)
    }

    #[inline(always)]
    fn over_plain(self, rhs: f64) -> Self {
        self.each(|x| x / rhs)
    }

    #[inline(always)]
    fn modulo_plain(self, rhs: f64) -> Self {
        self.with_value(self.value % rhs)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        self.each(|x| -x)
    }

    /// `self - quotient * rhs`, where the quotient is an integer that `value` implies.
    fn remainder(self, rhs: Self, value: f64) -> Self {
        let quotient = if rhs.value.is_finite() {
            ((self.value - value) / rhs.value).round()
        } else {
            0.0
        };
        self.minus(rhs.times_plain(quotient)).with_value(value)
    }

    /// The series whose derivative is `slope` times that of `self`.
    fn chain(self, value: f64, slope: Self) -> Self {
        let mut out = Jet::plain(value);
        for k in 1..=ORDER {
            out.terms[k - 1] = self.chained(k, |j| slope.term(j));
        }
        out
    }

    /// Term `k` of the series whose derivative is `slope` times that of `self`.
    #[inline(always)]
    fn chained(self, k: usize, slope: impl Fn(usize) -> f64) -> f64 {
        (1..=k)
            .map(|j| j as f64 * self.term(j) * slope(k - j))
            .sum::<f64>()
            / k as f64
    }

    /// The series y with `y' = slope(y) self'`: each term follows from the ones before.
    fn solve(self, value: f64, slope: impl Fn(Self) -> Self) -> Self {
        let mut out = Jet::plain(value);
        for k in 1..=ORDER {
            let known = slope(out);
            out.terms[k - 1] = self.chained(k, |j| known.term(j));
        }
        out
    }

    /// The first power with a coefficient other than 0, itself included.
    fn leading(self) -> Option<usize> {
        (0..=ORDER).find(|&k| self.term(k) != 0.0)
    }

    /// Whether the series falls below 0 next.
    fn next_negative(self) -> bool {
        self.leading().is_some_and(|k| self.term(k) < 0.0)
    }

    /// Whether `self` is below `other` next.
    fn next_below(self, other: Self) -> bool {
        if self.value == other.value {
            self.minus(other).with_value(0.0).next_negative()
        } else {
            self.value < other.value
        }
    }
}

operators! { impl [const ORDER: usize] Jet<ORDER> }
sums! { impl [const ORDER: usize] Jet<ORDER> }
by_value! { impl [const ORDER: usize] Jet<ORDER> }
