//! Dual numbers: a value and its derivatives in N directions at once.

mod functions;

use super::operators::{by_value, operators, sums};

/// A value and its derivatives along `N` directions (lanes), exact to rounding.
///
/// Seed the lanes of the knowns, run the equations, read the lanes of the unknowns.
///
/// ```
/// use fmu_runtime::scalar::{Dual, Scalar};
///
/// let x = Dual::<2>::variable(3.0, 0);
/// let y = Dual::<2>::variable(4.0, 1);
/// let r = x.hypot(y);
/// assert_eq!((r.value, r.lanes), (5.0, [0.6, 0.8]));
/// ```
///
/// # At kinks
///
/// Where a function has a value but two one-sided derivatives, one of them is taken, always the same; no
/// lane is NaN there. All choices are linear in the lanes.
///
/// | function | at | derivative |
/// |---|---|---|
/// | `abs` | 0 | that of the right side, 1 |
/// | `min`, `max` | equal operands | that of `self` |
/// | `clamp` | a bound | that of `self` |
/// | `sqrt`, `cbrt`, `powf` with exponent in (0, 1) | 0 | that at the smallest positive normal number: huge and finite, so that 0 times it is 0 |
/// | `asin`, `acos` at ±1, `acosh` at 1 | | likewise huge and finite |
/// | `powf` | base 0, by the exponent | 0 |
/// | `powf` | base below 0, by the exponent | 0 |
/// | `hypot` | (0, 0) | 1 by each operand: the right-sided partial derivatives |
/// | `atan2` | (0, 0) | 0 |
/// | `copysign` | 0 | 1 with the sign of `sign` |
/// | `floor`, `ceil`, `round`, `trunc`, `signum`, `div_euclid` | everywhere | 0 |
/// | `fract`, `%`, `rem_euclid` | a jump | that beside the jump |
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Dual<const N: usize> {
    /// The value.
    pub value: f64,
    /// The derivative in each direction.
    pub lanes: [f64; N],
}

#[inline(always)]
fn each<const N: usize>(a: [f64; N], f: impl Fn(f64) -> f64) -> [f64; N] {
    let mut out = a;
    for lane in &mut out {
        *lane = f(*lane);
    }
    out
}

#[inline(always)]
fn both<const N: usize>(a: [f64; N], b: [f64; N], f: impl Fn(f64, f64) -> f64) -> [f64; N] {
    let mut out = a;
    for i in 0..N {
        out[i] = f(a[i], b[i]);
    }
    out
}

impl<const N: usize> Dual<N> {
    /// A value with given derivatives.
    #[inline(always)]
    pub const fn new(value: f64, lanes: [f64; N]) -> Self {
        Dual { value, lanes }
    }

    /// A value that depends on nothing.
    #[inline(always)]
    pub const fn plain(value: f64) -> Self {
        Dual {
            value,
            lanes: [0.0; N],
        }
    }

    /// A value that is the variable of direction `lane`.
    #[inline(always)]
    pub const fn variable(value: f64, lane: usize) -> Self {
        let mut lanes = [0.0; N];
        lanes[lane] = 1.0;
        Dual { value, lanes }
    }

    /// The chain rule with one argument: `value` is f(self), `slope` f'(self).
    #[inline(always)]
    fn chain(self, value: f64, slope: f64) -> Self {
        Dual {
            value,
            lanes: each(self.lanes, |d| slope * d),
        }
    }

    /// The chain rule with two arguments.
    #[inline(always)]
    fn chain2(self, other: Self, value: f64, by_self: f64, by_other: f64) -> Self {
        Dual {
            value,
            lanes: both(self.lanes, other.lanes, |a, b| by_self * a + by_other * b),
        }
    }

    /// A value whose derivatives are 0 wherever they exist.
    #[inline(always)]
    fn step(value: f64) -> Self {
        Dual::plain(value)
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> Self {
        Dual {
            value: self.value + rhs.value,
            lanes: both(self.lanes, rhs.lanes, |a, b| a + b),
        }
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> Self {
        Dual {
            value: self.value - rhs.value,
            lanes: both(self.lanes, rhs.lanes, |a, b| a - b),
        }
    }

    #[inline(always)]
    fn times(self, rhs: Self) -> Self {
        self.chain2(rhs, self.value * rhs.value, rhs.value, self.value)
    }

    #[inline(always)]
    fn over(self, rhs: Self) -> Self {
        let value = self.value / rhs.value;
        Dual {
            value,
            lanes: both(self.lanes, rhs.lanes, |a, b| (a - value * b) / rhs.value),
        }
    }

    #[inline(always)]
    fn modulo(self, rhs: Self) -> Self {
        self.remainder(rhs, self.value % rhs.value)
    }

    #[inline(always)]
    fn plus_plain(self, rhs: f64) -> Self {
        Dual {
            value: self.value + rhs,
            lanes: self.lanes,
        }
    }

    #[inline(always)]
    fn minus_plain(self, rhs: f64) -> Self {
        Dual {
            value: self.value - rhs,
            lanes: self.lanes,
        }
    }

    #[inline(always)]
    fn times_plain(self, rhs: f64) -> Self {
        self.chain(self.value * rhs, rhs)
    }

    #[inline(always)]
    fn over_plain(self, rhs: f64) -> Self {
        Dual {
            value: self.value / rhs,
            lanes: each(self.lanes, |d| d / rhs),
        }
    }

    #[inline(always)]
    fn modulo_plain(self, rhs: f64) -> Self {
        Dual {
            value: self.value % rhs,
            lanes: self.lanes,
        }
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Dual {
            value: -self.value,
            lanes: each(self.lanes, |d| -d),
        }
    }

    /// `self - quotient * rhs`, where the quotient is an integer that `value` implies.
    #[inline(always)]
    fn remainder(self, rhs: Self, value: f64) -> Self {
        // The quotient by an infinite divisor is 0, or -1 towards the other sign; only the first is finite.
        let quotient = if rhs.value.is_finite() {
            ((self.value - value) / rhs.value).round()
        } else {
            0.0
        };
        self.chain2(rhs, value, 1.0, -quotient)
    }

    #[inline(always)]
    fn with_value(self, value: f64) -> Self {
        Dual {
            value,
            lanes: self.lanes,
        }
    }
}

operators! { impl [const N: usize] Dual<N> }
sums! { impl [const N: usize] Dual<N> }
by_value! { impl [const N: usize] Dual<N> }
