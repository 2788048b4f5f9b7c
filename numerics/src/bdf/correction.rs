//! Where inputs jump, the history does not fit the equations any more. Instead of a restart, what is known exactly of
//! the new solution is put into the history: its first and second derivative (Andersson 2016, section 7.3).
//!
//! Beyond the source, unless [`Crossover::FirstAndSecond`] asks for the source alone:
//!
//! - A jump goes on to the higher derivatives, about as `x^(k+1) = J x^(k)` says. With the Jacobian that is kept for
//!   Newton's iteration, these are corrected too, without any evaluation.
//! - In a stiff system the derivatives of the new solution describe a transient that is over before the step is, and
//!   would spoil the prediction. The remaining work of the corrector can be predicted from the matrix
//!   `M = I - gamma J` that is kept: `d_1 + M^-1 ((d_1 + 2 d_2) / l_1 - d_1)` without a correction, `2 M^-1 d_2 / l_1`
//!   after one of the first derivative, and `(M^-1 - I) d_k` after one of all derivatives up to `k`, where `d_k` is the
//!   change of `z_k`. The smallest of them wins.
//! - If even that asks for a shorter step than a restart would begin with, the history is worth nothing.

use super::coefficients::leading;
use super::{Bdf, ratio};
use crate::{ImplicitSystem, StepError};

/// How to go on where the equations have changed and the states have not: at communication points, mostly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossover {
    /// Forget the history, begin with order 1.
    Restart,
    /// Forget it where the equations jump, and keep it where only their derivative by time does.
    RestartAtJumps,
    /// Keep the history as if nothing had happened.
    Proceed,
    /// Correct the first derivative, and no other.
    First,
    /// Correct the first and the second derivative, and no other: equations 7.11 to 7.15 of Andersson 2016 alone.
    FirstAndSecond,
    /// Correct the first and the second derivative and what follows from them, as far as that makes the next step
    /// easier; restart where no correction does.
    #[default]
    Adaptive,
}

impl Bdf {
    /// The equations have changed, and the states have not.
    pub fn cross_over(&mut self) {
        self.crossed = true;
    }

    /// The derivative of the equations by time has changed, and neither they nor the states have.
    pub fn bend(&mut self) {
        self.crossed |= self.crossover != Crossover::RestartAtJumps;
    }

    /// Some states have been set to other values close to those that they had, and the equations have changed with them: the
    /// history is kept, and corrected as where equations change.
    pub fn go_on(&mut self, x: &[f64]) {
        self.z.row_mut(0).copy_from_slice(x);
        self.crossed = true;
    }

    /// The last step is over at `t` already: there, the equations have changed and the states have not.
    pub fn back_to(&mut self, t: f64) {
        let back = self.t - t;
        self.z.shift(self.q, -back / self.h);
        self.t = t;
        self.tau[0] = (self.tau[0] - back).max(0.0);
        self.next_q = self.q;
        self.delta_scale = 0.0;
        self.wait = self.wait.max(2);
        self.crossed = true;
    }

    pub(super) fn cross<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
    ) -> Result<(), StepError<S::Error>> {
        self.crossed = false;
        match self.crossover {
            _ if self.is_new => Ok(()),
            Crossover::Restart | Crossover::RestartAtJumps => {
                self.is_new = true;
                Ok(())
            }
            Crossover::Proceed => Ok(()),
            Crossover::First | Crossover::FirstAndSecond | Crossover::Adaptive => {
                self.correct(system).map_err(StepError::Model)
            }
        }
    }

    /// Equations 7.11 to 7.15.
    fn correct<S: ImplicitSystem + ?Sized>(&mut self, system: &mut S) -> Result<(), S::Error> {
        self.change_order(self.next_q);
        self.delta_scale = 0.0;
        let [dx, ddx] = &mut self.work;
        let (h, z, d) = (self.h, &self.z, &mut self.predicted);
        self.statistics.evaluations += 1;
        system.rhs(self.t, z.row(0), dx)?;
        for (i, d) in d.row_mut(1).iter_mut().enumerate() {
            *d = h * dx[i] - z.row(1)[i];
        }
        let mut corrected = 1;
        if self.crossover != Crossover::First && self.q > 1 {
            self.statistics.second_derivatives += 1;
            system.second_derivative(self.t, z.row(0), dx, ddx)?;
            for (i, d) in d.row_mut(2).iter_mut().enumerate() {
                *d = 0.5 * h * h * ddx[i] - z.row(2)[i];
            }
            corrected = 2;
            if self.crossover == Crossover::Adaptive && self.newton.is_ready() {
                for k in 3..=self.q {
                    let (lower, upper) = d.two_rows(k);
                    self.newton.multiply(lower, upper);
                    upper.iter_mut().for_each(|d| *d *= h / k as f64);
                }
                let left;
                (corrected, left) = self.most_useful_correction();
                let step = h * ratio(left, corrected);
                if left > 1.0 && step < self.first_step() {
                    self.is_new = true;
                    return Ok(());
                }
            }
        }
        for k in 1..=corrected {
            for (z, d) in self.z.row_mut(k).iter_mut().zip(self.predicted.row(k)) {
                *z += d;
            }
        }
        Ok(())
    }

    /// Up to which derivative the changes in `predicted` make the next step easier, and what of the jump is left to
    /// its corrector then. The first two changes are exact.
    fn most_useful_correction(&mut self) -> (usize, f64) {
        let l1 = leading(self.q);
        let mut best = (0, f64::INFINITY);
        for k in 0..=self.q {
            // The other one still holds the second derivative.
            let ([left, _], d) = (&mut self.work, &self.predicted);
            for (i, left) in left.iter_mut().enumerate() {
                *left = match k {
                    0 => (d.row(1)[i] + 2.0 * d.row(2)[i]) / l1 - d.row(1)[i],
                    1 => 2.0 * d.row(2)[i] / l1,
                    k => d.row(k)[i],
                };
            }
            self.newton.filter(left);
            for (i, left) in left.iter_mut().enumerate() {
                *left += match k {
                    0 => d.row(1)[i],
                    1 => 0.0,
                    k => -d.row(k)[i],
                };
            }
            let left = self.weighted(&self.work[0]);
            if left < best.1 {
                best = (k, left);
            }
        }
        best
    }
}
