//! The classical Runge-Kutta method of order 4: four evaluations per step, Hermite's cubic in between.

use super::{FixedStep, Rule};
use crate::System;

/// The classical Runge-Kutta method; [`FixedStep`] has an example.
pub type RungeKutta4 = FixedStep<Classical, 4>;

/// The stages of [`RungeKutta4`].
#[derive(Clone, Copy, Debug)]
pub struct Classical;

impl Rule<4> for Classical {
    const ORDER: usize = 4;
    const NEEDS_END_SLOPE: bool = true;

    #[inline(always)]
    fn slopes<S: System + ?Sized, K: AsMut<[f64]>>(
        system: &mut S,
        t: f64,
        h: f64,
        x: &[f64],
        y: &mut [f64],
        [k1, k2, k3, k4]: &mut [K; 4],
    ) -> Result<(), S::Error> {
        let n = x.len();
        let (k1, k2) = (&mut k1.as_mut()[..n], &mut k2.as_mut()[..n]);
        let (k3, k4) = (&mut k3.as_mut()[..n], &mut k4.as_mut()[..n]);
        system.rhs(t, x, k1)?;
        stage(y, x, 0.5 * h, k1);
        system.rhs(t + 0.5 * h, y, k2)?;
        stage(y, x, 0.5 * h, k2);
        system.rhs(t + 0.5 * h, y, k3)?;
        stage(y, x, h, k3);
        system.rhs(t + h, y, k4)
    }

    #[inline(always)]
    fn advance<K: AsRef<[f64]>>(h: f64, [k1, k2, k3, k4]: &[K; 4], x: &mut [f64]) {
        let n = x.len();
        let (k1, k2) = (&k1.as_ref()[..n], &k2.as_ref()[..n]);
        let (k3, k4) = (&k3.as_ref()[..n], &k4.as_ref()[..n]);
        for (i, x) in x.iter_mut().enumerate() {
            *x += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
    }

    #[inline]
    fn interpolate(theta: f64, h: f64, x0: f64, x1: f64, k0: f64, k1: f64) -> f64 {
        let bend = (1.0 - 2.0 * theta) * (x1 - x0) + (theta - 1.0) * (h * k0) + theta * (h * k1);
        (1.0 - theta) * x0 + theta * x1 + theta * (theta - 1.0) * bend
    }
}

/// `y = x + h k`
#[inline(always)]
fn stage(y: &mut [f64], x: &[f64], h: f64, k: &[f64]) {
    for ((y, x), k) in y.iter_mut().zip(x).zip(k) {
        *y = x + h * k;
    }
}
