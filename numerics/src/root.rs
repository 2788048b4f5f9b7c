//! Unknowns that equations define implicitly: a damped Newton's method with exact Jacobians, down to rounding.
//!
//! It is the error-oriented variant of Deuflhard (Newton Methods for Nonlinear Problems, 2004, section 3.3): a step is judged
//! by the simplified correction that follows it, `-J(x)^-1 r(x + part * dx)`. So neither the scaling of the equations nor
//! their linear combination has an influence; the unknowns are scaled by their nominal values. The iteration ends when the
//! corrections reach the rounding of the unknowns, or no longer become smaller near it. The result depends on nothing but
//! the equations and the point where the iteration begins.

use crate::{Lu, Square};

/// Steps of Newton's method, damped or not, before it is given up.
const MOST_STEPS: usize = 60;
/// The smallest part of a step that is tried.
const SMALLEST_PART: f64 = 1e-5;
/// Corrections that no longer become smaller are roundings only below this, relative to the unknowns.
const NEAR: f64 = 1e-7;
/// An unknown below this part of its nominal value is next to zero.
const ZERO: f64 = 1e-8;
/// A pivot of the scaled matrix below this has lost all its digits.
const LOST: f64 = 1e-15;

/// Equations `r(x) = 0` with as many unknowns, and their Jacobian; [`Root`] has an example.
pub trait Residuals {
    /// Why an evaluation has no result.
    type Error;
    /// The residuals at `x`.
    fn residuals(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Self::Error>;
    /// The residuals at `x`, and how they change with `x`: one row per equation.
    fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), Self::Error>;
    /// Whether a Jacobian takes as many evaluations as the residuals do.
    fn is_cheap(&self) -> bool {
        true
    }
}

/// What a [`Root`] has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootStatistics {
    /// Evaluations of residuals, those with a Jacobian included.
    pub evaluations: u64,
    /// Factorizations.
    pub factorizations: u64,
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNoRoot<E> {
    /// The residuals cannot be evaluated where the iteration begins.
    Failed(E),
    /// A residual is not a number where the iteration begins.
    NotFinite,
    /// The Jacobian is singular: the unknown and the pivot that is left for it, between 0 and 1.
    Singular {
        /// Number of the unknown.
        unknown: usize,
        /// The smallest pivot of the scaled matrix.
        pivot: f64,
    },
    /// No part of a step comes closer to a solution.
    Stuck,
    /// Too many steps.
    Slow,
}

/// Equations without a solution; [`Root::solve`] returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NoRoot<E> {
    /// Why.
    pub why: WhyNoRoot<E>,
    /// The unknown that would still have moved most, relative to its nominal value.
    pub unknown: usize,
    /// The equation with the largest residual, in the units of the unknowns.
    pub equation: usize,
    /// Its residual.
    pub residual: f64,
}

/// The memory of the iteration, and the factors of the last Jacobian.
///
/// ```
/// use fmu_numerics::{Residuals, Root, Square};
///
/// /// A circle, and a line through its centre.
/// struct Crossing;
/// impl Residuals for Crossing {
///     type Error = ();
///     fn residuals(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ()> {
///         r.copy_from_slice(&[x[0] * x[0] + x[1] * x[1] - 2.0, x[0] - x[1]]);
///         Ok(())
///     }
///     fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), ()> {
///         matrix.entries_mut().copy_from_slice(&[2.0 * x[0], 1.0, 2.0 * x[1], -1.0]);
///         self.residuals(x, r)
///     }
/// }
///
/// let mut root = Root::new(&[1.0, 1.0]);
/// root.solve(&mut Crossing, &[3.0, 0.5]).unwrap();
/// assert_eq!(root.x(), [1.0, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Root {
    x: Box<[f64]>,
    residual: Box<[f64]>,
    /// The step from `x`, relative to the nominal values.
    step: Box<[f64]>,
    trial: Box<[f64]>,
    trial_residual: Box<[f64]>,
    /// The simplified correction at the trial point.
    correction: Box<[f64]>,
    matrix: Square,
    factors: RootFactors,
    statistics: RootStatistics,
}

/// The factors of a Jacobian, which turn changes of residuals into changes of unknowns.
#[derive(Clone, Debug)]
pub struct RootFactors {
    lu: Lu,
    nominals: Box<[f64]>,
    /// What each equation is multiplied with before the factorization.
    scales: Box<[f64]>,
}

impl Root {
    /// For unknowns with these nominal values.
    pub fn new(nominals: &[f64]) -> Root {
        let zeros = vec![0.0; nominals.len()].into_boxed_slice();
        let sensible = |nominal: &f64| match nominal.abs() {
            nominal if nominal > 0.0 && nominal.is_finite() => nominal,
            _ => 1.0,
        };
        Root {
            x: zeros.clone(),
            residual: zeros.clone(),
            step: zeros.clone(),
            trial: zeros.clone(),
            trial_residual: zeros.clone(),
            correction: zeros.clone(),
            matrix: Square::zeros(nominals.len()),
            factors: RootFactors {
                lu: Lu::new(nominals.len()),
                nominals: nominals.iter().map(sensible).collect(),
                scales: zeros,
            },
            statistics: RootStatistics::default(),
        }
    }

    /// The solution, or where the iteration was given up.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// What was done so far.
    pub fn statistics(&self) -> RootStatistics {
        self.statistics
    }

    /// Solves the equations from `start` on.
    pub fn solve<R: Residuals>(&mut self, equations: &mut R, start: &[f64]) -> Result<(), NoRoot<R::Error>> {
        self.x.copy_from_slice(start);
        self.evaluate_with_jacobian(equations)?;
        // How much smaller than the step before it the last step was.
        let mut last: Option<f64> = None;
        for _ in 0..MOST_STEPS {
            self.factorize_scaled()?;
            self.step.copy_from_slice(&self.residual);
            self.factors.relative(&mut self.step);
            let size = largest(&self.step);
            if !size.is_finite() {
                return Err(self.given_up(WhyNoRoot::NotFinite));
            }
            if self.is_lost(&self.step) {
                return Ok(());
            }
            if last.is_some_and(|last| size > 0.5 * last) && self.is_near(&self.step) {
                // Nothing but roundings is left.
                return Ok(());
            }
            if self.advance(equations, size)? {
                return Ok(());
            }
            last = Some(size);
        }
        Err(self.given_up(WhyNoRoot::Slow))
    }

    /// Makes as much of a step as comes closer to a solution; true if that was the last one.
    fn advance<R: Residuals>(&mut self, equations: &mut R, size: f64) -> Result<bool, NoRoot<R::Error>> {
        let mut part = 1.0;
        loop {
            for (trial, (x, (step, nominal))) in self
                .trial
                .iter_mut()
                .zip(self.x.iter().zip(self.step.iter().zip(&self.factors.nominals)))
            {
                *trial = x + part * step * nominal;
            }
            let with_jacobian = part == 1.0 && equations.is_cheap();
            self.statistics.evaluations += 1;
            let evaluated = match with_jacobian {
                true => equations.jacobian(&self.trial, &mut self.trial_residual, &mut self.matrix),
                false => equations.residuals(&self.trial, &mut self.trial_residual),
            };
            let mut next = f64::NAN;
            if evaluated.is_ok() {
                self.correction.copy_from_slice(&self.trial_residual);
                self.factors.relative(&mut self.correction);
                next = largest(&self.correction);
            }
            // Roundings do not become smaller by the factor that is asked for.
            let near = next.is_finite() && self.is_near(&self.step) && self.is_near(&self.correction);
            if near || next <= (1.0 - 0.25 * part) * size {
                std::mem::swap(&mut self.x, &mut self.trial);
                std::mem::swap(&mut self.residual, &mut self.trial_residual);
                let rate = next / size;
                if part == 1.0 && rate <= 0.5 && self.ends_after_correction() {
                    std::mem::swap(&mut self.step, &mut self.correction);
                    self.take();
                    return Ok(true);
                }
                if near && rate > 0.5 {
                    return Ok(true);
                }
                if !with_jacobian {
                    self.evaluate_with_jacobian(equations)?;
                }
                return Ok(false);
            }
            part *= 0.5;
            if part < SMALLEST_PART {
                return Err(self.given_up(WhyNoRoot::Stuck));
            }
        }
    }

    /// Evaluates the Jacobian where the iteration is, and factorizes it, for [`RootFactors::substitute`].
    ///
    /// ```
    /// # use fmu_numerics::{Residuals, Root, Square};
    /// /// x^2 = p
    /// struct SquareRoot(f64);
    /// impl Residuals for SquareRoot {
    ///     type Error = ();
    ///     fn residuals(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ()> {
    ///         r[0] = x[0] * x[0] - self.0;
    ///         Ok(())
    ///     }
    ///     fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), ()> {
    ///         matrix[(0, 0)] = 2.0 * x[0];
    ///         self.residuals(x, r)
    ///     }
    /// }
    ///
    /// let (mut root, mut equations) = (Root::new(&[1.0]), SquareRoot(4.0));
    /// root.solve(&mut equations, &[1.0]).unwrap();
    /// root.factorize(&mut equations).unwrap();
    /// // The residual changes with p by -1, so x changes by 1 / (2 x).
    /// let mut change = [-1.0];
    /// root.factors().substitute(&mut change);
    /// assert_eq!(change, [0.25]);
    /// ```
    pub fn factorize<R: Residuals>(&mut self, equations: &mut R) -> Result<(), NoRoot<R::Error>> {
        self.evaluate_with_jacobian(equations)?;
        self.factorize_scaled()
    }

    /// The same at another point.
    pub fn factorize_at<R: Residuals>(
        &mut self,
        equations: &mut R,
        x: &[f64],
    ) -> Result<(), NoRoot<R::Error>> {
        self.x.copy_from_slice(x);
        self.factorize(equations)
    }

    /// The factors of the last Jacobian.
    pub fn factors(&self) -> &RootFactors {
        &self.factors
    }

    fn evaluate_with_jacobian<R: Residuals>(&mut self, equations: &mut R) -> Result<(), NoRoot<R::Error>> {
        self.statistics.evaluations += 1;
        match equations.jacobian(&self.x, &mut self.residual, &mut self.matrix) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.given_up(WhyNoRoot::Failed(error))),
        }
    }

    /// Factorizes the last Jacobian.
    fn factorize_scaled<E>(&mut self) -> Result<(), NoRoot<E>> {
        self.statistics.factorizations += 1;
        if !self.matrix.entries().iter().all(|entry| entry.is_finite()) {
            return Err(self.given_up(WhyNoRoot::NotFinite));
        }
        match self.factors.factorize(&self.matrix) {
            Ok(()) => Ok(()),
            Err((unknown, pivot)) => Err(self.given_up(WhyNoRoot::Singular { unknown, pivot })),
        }
    }

    fn take(&mut self) {
        for (x, (step, nominal)) in self
            .x
            .iter_mut()
            .zip(self.step.iter().zip(&self.factors.nominals))
        {
            *x += step * nominal;
        }
    }

    /// Whether a step is lost in rounding.
    fn is_lost(&self, step: &[f64]) -> bool {
        (0..step.len()).all(|unknown| self.loses(unknown, step[unknown]))
    }

    /// Whether what follows the correction is lost in rounding. Each unknown is judged by itself: the correction is to
    /// the step as what follows is to the correction, and others that moved far say nothing about it.
    fn ends_after_correction(&self) -> bool {
        let pairs = self.step.iter().zip(&self.correction).enumerate();
        pairs.into_iter().all(|(unknown, (step, correction))| {
            let rate = (correction / step).abs();
            let rate = if rate < 1.0 { rate } else { 1.0 };
            self.loses(unknown, rate * correction)
        })
    }

    /// Whether a change of an unknown, relative to its nominal value, is lost in rounding.
    fn loses(&self, unknown: usize, change: f64) -> bool {
        let (x, nominal) = (self.x[unknown], self.factors.nominals[unknown]);
        (change * nominal).abs() <= 0.5 * f64::EPSILON * x.abs().max(ZERO * nominal)
    }

    /// Whether a step may be nothing but rounding.
    fn is_near(&self, step: &[f64]) -> bool {
        let scales = self.x.iter().zip(&self.factors.nominals);
        step.iter()
            .zip(scales)
            .all(|(step, (x, nominal))| (step * nominal).abs() <= NEAR * x.abs().max(ZERO * nominal))
    }

    fn given_up<E>(&self, why: WhyNoRoot<E>) -> NoRoot<E> {
        let scaled = |equation: &usize| (self.residual[*equation] * self.factors.scales[*equation]).abs();
        let worst = |a: &usize, b: &usize| scaled(a).total_cmp(&scaled(b));
        let equation = (0..self.residual.len()).max_by(worst).unwrap_or(0);
        let farther = |a: &usize, b: &usize| self.step[*a].abs().total_cmp(&self.step[*b].abs());
        NoRoot {
            why,
            unknown: (0..self.step.len()).max_by(farther).unwrap_or(0),
            equation,
            residual: self.residual.get(equation).copied().unwrap_or(0.0),
        }
    }
}

impl RootFactors {
    /// Scales a matrix, unknowns by their nominal values and equations by their largest entries, and factorizes it. An error
    /// is the unknown with the smallest pivot, and that pivot.
    fn factorize(&mut self, matrix: &Square) -> Result<(), (usize, f64)> {
        let n = self.nominals.len().max(1);
        self.scales.fill(0.0);
        for (column, nominal) in matrix.entries().chunks_exact(n).zip(&self.nominals) {
            for (scale, entry) in self.scales.iter_mut().zip(column) {
                *scale = scale.max((entry * nominal).abs());
            }
        }
        for scale in &mut self.scales {
            *scale = if *scale > 0.0 { 1.0 / *scale } else { 1.0 };
        }
        let scaled = self.lu.matrix_mut();
        scaled.assign(matrix);
        for (column, nominal) in scaled.entries_mut().chunks_exact_mut(n).zip(&self.nominals) {
            for (entry, scale) in column.iter_mut().zip(&self.scales) {
                *entry *= nominal * scale;
            }
        }
        let regular = self.lu.factorize_in_place();
        match self.lu.smallest_pivot() {
            Some(smallest) if !regular || smallest.1 < LOST => Err(smallest),
            _ => Ok(()),
        }
    }

    /// Turns residuals into a step of Newton's method, relative to the nominal values.
    fn relative(&self, residuals: &mut [f64]) {
        for (residual, scale) in residuals.iter_mut().zip(&self.scales) {
            *residual *= -scale;
        }
        self.lu.solve(residuals);
    }

    /// The implicit function theorem: how residuals change turns into how the unknowns change, `-J^-1 r`.
    pub fn substitute(&self, change: &mut [f64]) {
        self.relative(change);
        for (change, nominal) in change.iter_mut().zip(&self.nominals) {
            *change *= nominal;
        }
    }

    /// Takes over other factors of the same size, in the memory that is there.
    pub fn assign(&mut self, other: &RootFactors) {
        self.lu.assign(&other.lu);
        self.nominals.copy_from_slice(&other.nominals);
        self.scales.copy_from_slice(&other.scales);
    }
}

/// The largest magnitude; not a number if one is not.
fn largest(values: &[f64]) -> f64 {
    let larger = |largest: f64, value: &f64| match value.abs() {
        value if value > largest || value.is_nan() => value,
        _ => largest,
    };
    values.iter().fold(0.0, larger)
}
