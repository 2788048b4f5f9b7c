//! The explicit Euler method: one evaluation per step, linear in between.

use super::{FixedStep, Rule};
use crate::System;

/// The explicit Euler method; [`FixedStep`] has an example.
pub type Euler = FixedStep<EulerRule, 1>;

/// The stage of [`Euler`].
#[derive(Clone, Copy, Debug)]
pub struct EulerRule;

impl Rule<1> for EulerRule {
    const ORDER: usize = 1;
    const NEEDS_END_SLOPE: bool = false;

    #[inline(always)]
    fn slopes<S: System + ?Sized, K: AsMut<[f64]>>(
        system: &mut S,
        t: f64,
        _: f64,
        x: &[f64],
        _: &mut [f64],
        [k]: &mut [K; 1],
    ) -> Result<(), S::Error> {
        system.rhs(t, x, &mut k.as_mut()[..x.len()])
    }

    #[inline(always)]
    fn advance<K: AsRef<[f64]>>(h: f64, [k]: &[K; 1], x: &mut [f64]) {
        for (x, k) in x.iter_mut().zip(k.as_ref()) {
            *x += h * k;
        }
    }

    #[inline]
    fn interpolate(theta: f64, _: f64, x0: f64, x1: f64, _: f64, _: f64) -> f64 {
        x0 + theta * (x1 - x0)
    }
}
