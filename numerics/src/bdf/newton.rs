//! The corrector: `G(x_n) = 0` (Andersson 2016, equation 7.6) by Newton's iteration with a matrix that is kept as long as it
//! serves. When to renew it, and when an iteration has converged, follow the published description of CVODE
//! (*Mathematical considerations*, nonlinear solve).

use super::coefficients::Coefficients;
use super::nordsieck::Nordsieck;
use crate::linear::IterationMatrix;
use crate::tolerance::norm;
use crate::{Damaged, ImplicitSystem, Pattern, Reader, Statistics, Writer};

const MOST_ITERATIONS: usize = 3;
/// Steps after which the matrix, and the Jacobian, are renewed in any case.
const MATRIX_AGE: u64 = 20;
const JACOBIAN_AGE: u64 = 50;
/// How far `gamma` may be from the one of the matrix.
const GAMMA_DRIFT: f64 = 0.3;
/// The iteration may be wrong by this part of the tolerance.
const PART_OF_TOLERANCE: f64 = 0.1;

/// What is kept between steps, and the solution of the last iteration.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    matrix: IterationMatrix,
    pattern: Pattern,
    jacobian: Box<[f64]>,
    jacobian_is_known: bool,
    /// `gamma` of the matrix; 0 if there is none.
    gamma: f64,
    jacobian_age: u64,
    matrix_age: u64,
    /// Estimate of the rate of convergence.
    rate: f64,
    /// `x_n - x_n(0)`
    pub delta: Box<[f64]>,
    x: Box<[f64]>,
    f: Box<[f64]>,
}

/// The formula at hand.
pub(super) struct Corrector<'a> {
    pub t: f64,
    pub h: f64,
    pub predicted: &'a Nordsieck,
    pub coefficients: &'a Coefficients,
    pub weights: &'a [f64],
}

impl Newton {
    pub fn new(pattern: &Pattern) -> Newton {
        let zero = vec![0.0; pattern.columns()].into_boxed_slice();
        Newton {
            matrix: IterationMatrix::new(pattern),
            pattern: pattern.clone(),
            jacobian: vec![0.0; pattern.entries()].into(),
            jacobian_is_known: false,
            gamma: 0.0,
            jacobian_age: 0,
            matrix_age: 0,
            rate: 1.0,
            delta: zero.clone(),
            x: zero.clone(),
            f: zero,
        }
    }

    /// The equations have changed: what was learned of them does not hold any more.
    pub fn forget(&mut self) {
        self.jacobian_is_known = false;
    }

    /// A step was accepted.
    pub fn grow_older(&mut self) {
        self.jacobian_age += 1;
        self.matrix_age += 1;
    }

    /// Finds `delta`. False, or a recoverable error: not with this step size.
    pub fn solve<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        corrector: &Corrector<'_>,
        statistics: &mut Statistics,
    ) -> Result<bool, S::Error> {
        let gamma = corrector.h / corrector.coefficients.l[1];
        let mut jacobian_is_fresh = false;
        if !self.jacobian_is_known || self.jacobian_age >= JACOBIAN_AGE {
            self.renew_jacobian(system, corrector, statistics)?;
            jacobian_is_fresh = true;
        }
        let drift = (gamma / self.gamma - 1.0).abs();
        let mut outdated = jacobian_is_fresh
            || !self.matrix.is_factorized()
            || self.matrix_age >= MATRIX_AGE
            || drift > GAMMA_DRIFT;
        loop {
            if outdated && !self.renew_matrix(gamma, statistics) {
                return Ok(false);
            }
            if self.iterate(system, corrector, statistics)? {
                return Ok(true);
            }
            if jacobian_is_fresh && self.gamma == gamma {
                return Ok(false);
            }
            // Only a matrix of another gamma, or an old Jacobian, may be to blame.
            if self.gamma == gamma || drift < 0.2 {
                self.renew_jacobian(system, corrector, statistics)?;
                jacobian_is_fresh = true;
            }
            outdated = true;
        }
    }

    /// What is known of the equations holds: there is a Jacobian and a matrix.
    pub fn is_ready(&self) -> bool {
        self.jacobian_is_known && self.matrix.is_factorized()
    }

    /// `product = J v`, with the Jacobian that is kept.
    pub fn multiply(&self, v: &[f64], product: &mut [f64]) {
        product.fill(0.0);
        for (j, v) in v.iter().enumerate() {
            let values = &self.jacobian[self.pattern.range(j)];
            for (&i, value) in self.pattern.column(j).iter().zip(values) {
                product[i] += value * v;
            }
        }
    }

    /// Replaces `v` by `M^-1 v`, with the matrix that is kept.
    pub fn filter(&mut self, v: &mut [f64]) {
        self.matrix.solve(v);
    }

    fn renew_jacobian<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        corrector: &Corrector<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), S::Error> {
        statistics.jacobians += 1;
        self.jacobian_is_known = false;
        system.jacobian(corrector.t, corrector.predicted.row(0), &mut self.jacobian)?;
        self.jacobian_is_known = true;
        self.jacobian_age = 0;
        Ok(())
    }

    fn renew_matrix(&mut self, gamma: f64, statistics: &mut Statistics) -> bool {
        statistics.factorizations += 1;
        self.gamma = gamma;
        self.matrix_age = 0;
        self.rate = 1.0;
        self.matrix.factorize(gamma, &self.jacobian)
    }

    fn iterate<S: ImplicitSystem + ?Sized>(
        &mut self,
        system: &mut S,
        corrector: &Corrector<'_>,
        statistics: &mut Statistics,
    ) -> Result<bool, S::Error> {
        let Corrector { t, h, .. } = *corrector;
        let (x0, hdx0) = (corrector.predicted.row(0), corrector.predicted.row(1));
        let l1 = corrector.coefficients.l[1];
        let gamma = h / l1;
        // A matrix of another gamma is off by about this factor.
        let scale = 2.0 / (1.0 + gamma / self.gamma);
        let mut before = 0.0;
        for m in 0..MOST_ITERATIONS {
            statistics.evaluations += 1;
            statistics.newton_iterations += 1;
            let first = m == 0;
            if !first {
                for ((x, x0), delta) in self.x.iter_mut().zip(x0).zip(&self.delta) {
                    *x = x0 + delta;
                }
            }
            system.rhs(t, if first { x0 } else { &self.x }, &mut self.f)?;
            // -G = gamma f(x) - z_1 / l_1 - delta
            for (f, hdx) in self.f.iter_mut().zip(hdx0) {
                *f = gamma * *f - hdx / l1;
            }
            if !first {
                self.f
                    .iter_mut()
                    .zip(&self.delta)
                    .for_each(|(f, delta)| *f -= delta);
            }
            self.matrix.solve(&mut self.f);
            if first {
                self.delta.fill(0.0);
            }
            for (delta, f) in self.delta.iter_mut().zip(&self.f) {
                *delta += scale * f;
            }
            let change = scale * norm(self.f.iter().zip(corrector.weights).map(|(f, w)| f * w));
            if m > 0 {
                self.rate = (0.3 * self.rate).max(change / before);
            }
            if change * self.rate.min(1.0) <= PART_OF_TOLERANCE {
                return Ok(true);
            }
            if change.is_nan() || (m > 0 && change > 2.0 * before) {
                return Ok(false);
            }
            before = change;
        }
        Ok(false)
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.bool(self.jacobian_is_known);
        out.u64(self.jacobian_age);
        out.u64(self.matrix_age);
        out.f64(self.rate);
        out.f64s(&self.jacobian);
        out.bool(self.matrix.is_factorized());
        out.f64(self.gamma);
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Newton, Damaged> {
        let mut read = self.clone();
        read.jacobian_is_known = from.bool()?;
        read.jacobian_age = from.u64()?;
        read.matrix_age = from.u64()?;
        read.rate = from.nonnegative()?;
        from.f64s(&mut read.jacobian)?;
        let factorized = from.bool()?;
        read.gamma = from.finite()?;
        // A matrix whose Jacobian is not known any more is never used again.
        let factorized = factorized && read.jacobian_is_known;
        if factorized && !read.matrix.factorize(read.gamma, &read.jacobian) {
            return Err(Damaged("a matrix that was regular is singular"));
        }
        Ok(read)
    }
}
