//! An input of a system as a curve: a polynomial in time over a communication step.

/// The highest derivative of a curve.
pub const MAX_CURVE_ORDER: usize = 3;

/// How a curve differs from the end of the last one; [`Curve`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Break {
    /// It bends.
    Slope,
    /// It jumps.
    Value,
}

/// A value with its derivatives by time at the beginning of a communication step, and what it was at the end of the
/// step before.
///
/// ```
/// use fmu_numerics::{Break, Curve};
///
/// let mut ramp = Curve::constant(1.0);
/// ramp.derivatives[0] = 2.0;
/// assert_eq!((ramp.derivative(0, 0.5), ramp.derivative(1, 0.5)), (2.0, 2.0));
/// // It begins where the constant has ended, with another slope.
/// assert_eq!(ramp.broken(), Some(Break::Slope));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Value at the beginning of the step.
    pub u: f64,
    /// Derivatives there, from the first one on.
    pub derivatives: [f64; MAX_CURVE_ORDER],
    /// Value and derivatives with which the last communication step has ended.
    pub ended: [f64; MAX_CURVE_ORDER + 1],
}

impl Curve {
    /// A value that does not change, and has not changed.
    pub fn constant(u: f64) -> Curve {
        let mut ended = [0.0; MAX_CURVE_ORDER + 1];
        ended[0] = u;
        Curve {
            u,
            derivatives: [0.0; MAX_CURVE_ORDER],
            ended,
        }
    }

    /// Whether it is more than a constant.
    #[inline]
    pub fn moves(&self) -> bool {
        self.derivatives.iter().any(|derivative| *derivative != 0.0)
    }

    /// The derivative of order `k`, a time `s` after the beginning of the step.
    pub fn derivative(&self, k: usize, s: f64) -> f64 {
        let mut sum = 0.0;
        for j in (k..=MAX_CURVE_ORDER).rev() {
            let derivative = if j == 0 { self.u } else { self.derivatives[j - 1] };
            sum = sum * s / (j - k + 1) as f64 + derivative;
        }
        sum
    }

    /// Value and derivatives, a time `s` after the beginning of the step.
    fn at(&self, s: f64) -> [f64; MAX_CURVE_ORDER + 1] {
        std::array::from_fn(|k| self.derivative(k, s))
    }

    /// How it does not go on as the last step has ended, if so.
    pub fn broken(&self) -> Option<Break> {
        if self.at(0.0) == self.ended {
            return None;
        }
        let [u, ..] = self.ended;
        // A caller that goes on from the end of a curve may have computed it in another way.
        let rounding = 16.0 * f64::EPSILON * u.abs().max(self.u.abs());
        Some(match (self.u - u).abs() <= rounding {
            true => Break::Slope,
            false => Break::Value,
        })
    }

    /// A communication step of size `h` has ended: the same curve, around its end.
    pub fn end(&mut self, h: f64) {
        self.ended = self.at(h);
        let [u, derivatives @ ..] = self.ended;
        (self.u, self.derivatives) = (u, derivatives);
    }
}
