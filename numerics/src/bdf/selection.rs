//! After a step: its acceptance, and the step size and order that promise most for the next one.

use super::{Bdf, Coefficients, FEW_FAILURES, GROWTH, MAX_ORDER, free_polynomial};
use crate::{ImplicitSystem, StepError};

/// A larger step is taken only if it is larger by this factor.
const WORTHWHILE: f64 = 1.5;

/// The error of the next step should be this part of the tolerance, to make success likely.
const BIAS: f64 = 1.0 / 6.0;
/// A higher order is less sure of its error.
const BIAS_HIGHER: f64 = 1.0 / 10.0;

/// The factor by which a step of order `q` with the given error may grow.
pub(super) fn ratio(error: f64, q: usize) -> f64 {
    1.0 / ((error / BIAS).powf(1.0 / (q + 1) as f64) + 1e-6)
}

impl Bdf {
    /// Makes the corrected solution the present one. `smooth`: without a failure before.
    pub(super) fn accept(&mut self, t: f64, c: &Coefficients, error: f64, wanted: f64, smooth: bool) {
        let scale = c.delta * self.h.powi(self.q as i32 + 1);
        let choice = self.choose(c, error, scale);

        self.z.advance(self.q, &c.l[..=self.q], &self.newton.delta);
        self.tau.copy_within(..MAX_ORDER - 1, 1);
        self.tau[0] = t - self.t;
        self.t = t;
        self.newton.grow_older();
        self.statistics.steps += 1;

        let (q, eta) = choice;
        let suggested = eta * self.h;
        let was_cut = self.h < wanted;
        (self.next_q, self.next_h) = match smooth {
            // A failure says that the estimates were too good.
            false => (self.q, self.h),
            true if suggested >= WORTHWHILE * wanted => (q, suggested),
            // A step that had to end early says little about longer ones.
            true if was_cut => (self.q, suggested.clamp(self.h, wanted)),
            true => (self.q, self.h),
        };
        self.growth = GROWTH;
        self.wait = match self.next_q == self.q {
            true if !smooth => self.wait.max(2),
            true if self.wait == 0 => 2,
            true => self.wait,
            false => self.next_q + 1,
        };
        self.delta_scale = scale;
        std::mem::swap(&mut self.delta_old, &mut self.newton.delta);
    }

    /// The best order near the present one, and the factor by which its step may be larger.
    fn choose(&mut self, c: &Coefficients, error: f64, scale: f64) -> (usize, f64) {
        let q = self.q;
        let mut best = (q, ratio(error, q));
        self.wait = self.wait.saturating_sub(1);
        if self.wait > 0 {
            return best;
        }
        if q > 1 {
            // z_q as it will be after the correction.
            let [row, _] = &mut self.work;
            let l = c.l[q];
            for (i, row) in row.iter_mut().enumerate() {
                *row = self.z.row(q)[i] + l * self.newton.delta[i];
            }
            let eta = ratio(c.lower * self.weighted(&self.work[0]), q - 1);
            if eta > best.1 {
                best = (q - 1, eta);
            }
        }
        if q < self.max_order && self.delta_scale > 0.0 {
            let old = scale / self.delta_scale;
            let [row, _] = &mut self.work;
            for (i, row) in row.iter_mut().enumerate() {
                *row = self.newton.delta[i] - old * self.delta_old[i];
            }
            let eta = ratio(
                c.higher * self.weighted(&self.work[0]) * BIAS / BIAS_HIGHER,
                q + 1,
            );
            if eta > best.1 {
                best = (q + 1, eta);
            }
        }
        best
    }

    /// Brings the history to another order, at most one away: the polynomial keeps its last values and derivative.
    pub(super) fn change_order(&mut self, to: usize) {
        match to {
            to if to > self.q => {
                // The next derivative, from the last correction.
                let scale = self.h.powi(to as i32) / self.delta_scale;
                self.z.row_mut(to).fill(0.0);
                let p = free_polynomial(to, self.h, &self.tau);
                self.z.add(&p[..=to], scale, &self.delta_old);
            }
            to if to < self.q && to > 0 => {
                let p = free_polynomial(self.q, self.h, &self.tau);
                let [row, _] = &mut self.work;
                row.copy_from_slice(self.z.row(self.q));
                self.z.add(&p[..=self.q], -1.0, row);
            }
            _ => {}
        }
        if to != self.q {
            self.q = to;
            self.delta_scale = 0.0;
        }
        self.next_q = self.q;
    }

    /// The error test failed: the factor for the step size, and a lower order if failures go on.
    pub(super) fn after_failure<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        error: f64,
        failures: u32,
    ) -> Result<f64, StepError<S::Error>> {
        let eta = ratio(error, self.q).clamp(0.1, 0.9);
        if failures < 2 {
            return Ok(eta);
        }
        if failures <= FEW_FAILURES {
            return Ok(eta.min(0.2));
        }
        if self.q > 1 {
            self.change_order(self.q - 1);
            self.wait = self.q + 1;
        } else {
            // The derivative of the history may be wrong.
            self.statistics.evaluations += 1;
            let [dx, _] = &mut self.work;
            system.rhs(self.t, self.z.row(0), dx).map_err(StepError::Model)?;
            let h = self.h;
            for (z, dx) in self.z.row_mut(1).iter_mut().zip(dx) {
                *z = h * *dx;
            }
            self.wait = 10;
        }
        Ok(0.1)
    }
}
