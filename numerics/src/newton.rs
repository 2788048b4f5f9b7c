//! Newton's method, damped. Expensive matrices are kept as long as they serve: small ones with Broyden's updates, large ones
//! as they are. (The corrector of `bdf/` is another method: undamped, with one matrix for many steps.)

use crate::linear::Krylov;
use crate::{Lu, Sparse, Square};

/// The smallest part of a step of Newton's method that is tried.
const SMALLEST_PART: f64 = 1e-3;

/// A stored matrix is computed again where the residual falls by less than this.
const SLOW: f64 = 0.3;

/// Up to so many unknowns a matrix is factorized at every iteration. Larger ones are solved by products with them, and
/// factorized only where that fails.
const SMALL: usize = 100;

/// Iterations of a solution that a matrix of a large system may take, before they count as its fault.
const GOOD: usize = 3;

/// A system of equations `r(x) = 0`; [`Newton::solve`] has an example.
pub trait Equations {
    /// Why an evaluation may end everything.
    type Stop;
    /// The residual at `x`.
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Self::Stop>;
    /// How the residual `r` at `x` changes with `x`; afterwards only `residual` is called.
    fn jacobian(&mut self, x: &[f64], r: &[f64], matrix: &mut Sparse) -> Result<(), Self::Stop>;
    /// The evaluations of the residual that a matrix costs, roughly.
    fn cost(&self) -> usize {
        1
    }
    /// The largest residual of an equation that counts as zero.
    fn tolerated(&self, equation: usize, x: f64) -> f64;
    /// Whether matrices are cheap and exact: then each iteration has its own.
    fn exact(&self) -> bool;
}

/// The memory of Newton's method: the unknowns, and the matrix of the last solution, which the next one begins with.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// The unknowns: where to begin, and then the solution.
    pub x: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    trial_residual: Vec<f64>,
    jacobian: Sparse,
    has_matrix: bool,
    /// The matrix with all its entries, where it is updated or factorized.
    matrix: Square,
    factors: Lu,
    /// The factors are those of the matrix.
    factorized: bool,
    krylov: Krylov,
    /// Iterations beyond those of a good matrix, since it was made.
    wasted: usize,
    /// The last values of the unknown with the largest residual.
    iterates: Vec<f64>,
}

/// Why there is no solution; [`Unsolved`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Too many iterations.
    Slow,
    /// No step of any size makes the residual smaller.
    Stuck,
    /// The matrix is singular.
    Singular,
    /// The residual is not a number.
    NoNumber,
}

/// Equations that were not solved.
///
/// ```
/// use fmu_numerics::{Equations, Newton, Sparse, Why};
///
/// /// x^2 + 1 = 0
/// struct NoRoot;
/// impl Equations for NoRoot {
///     type Stop = ();
///     fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ()> {
///         r[0] = x[0] * x[0] + 1.0;
///         Ok(())
///     }
///     fn jacobian(&mut self, x: &[f64], _: &[f64], matrix: &mut Sparse) -> Result<(), ()> {
///         matrix[(0, 0)] = 2.0 * x[0];
///         Ok(())
///     }
///     fn tolerated(&self, _: usize, _: f64) -> f64 {
///         1e-12
///     }
///     fn exact(&self) -> bool {
///         true
///     }
/// }
/// let mut newton = Newton::new(1);
/// newton.x[0] = 0.0;
/// let unsolved = newton.solve(&mut NoRoot, 20)?.unwrap_err();
/// assert_eq!((unsolved.why, unsolved.residual), (Why::Singular, 1.0));
/// # Ok::<(), ()>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unsolved {
    /// Why.
    pub why: Why,
    /// Iterations that were made.
    pub iterations: usize,
    /// The equation with the largest residual.
    pub worst: usize,
    /// Its residual.
    pub residual: f64,
    /// The last values of its unknown.
    pub iterates: Vec<f64>,
}

impl Newton {
    /// For so many unknowns, each of which may be in each equation.
    pub fn new(unknowns: usize) -> Newton {
        Newton::with_pattern(Sparse::full(unknowns))
    }

    /// For equations with the unknowns that a matrix has in its rows.
    pub fn with_pattern(jacobian: Sparse) -> Newton {
        let zeros = vec![0.0; jacobian.len()];
        Newton {
            x: zeros.clone(),
            residual: zeros.clone(),
            step: zeros.clone(),
            trial: zeros.clone(),
            trial_residual: zeros,
            jacobian,
            iterates: Vec::with_capacity(64),
            ..Newton::default()
        }
    }

    /// The matrix of the last solution is not worth keeping.
    pub fn forget(&mut self) {
        self.has_matrix = false;
    }

    /// Solves from where `x` is; the last evaluation of the residual is that of the solution. Returns the number of
    /// iterations, or why there is no solution.
    ///
    /// ```
    /// use fmu_numerics::{Equations, Newton, Sparse};
    ///
    /// struct Root;
    /// impl Equations for Root {
    ///     type Stop = ();
    ///     fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ()> {
    ///         r[0] = x[0] * x[0] - 2.0;
    ///         Ok(())
    ///     }
    ///     fn jacobian(&mut self, x: &[f64], _: &[f64], matrix: &mut Sparse) -> Result<(), ()> {
    ///         matrix[(0, 0)] = 2.0 * x[0];
    ///         Ok(())
    ///     }
    ///     fn tolerated(&self, _: usize, _: f64) -> f64 {
    ///         1e-12
    ///     }
    ///     fn exact(&self) -> bool {
    ///         true
    ///     }
    /// }
    /// let mut newton = Newton::new(1);
    /// newton.x[0] = 1.0;
    /// newton.solve(&mut Root, 20).unwrap().unwrap();
    /// assert!((newton.x[0] - 2f64.sqrt()).abs() < 1e-12);
    /// ```
    pub fn solve<E: Equations>(
        &mut self,
        equations: &mut E,
        most: usize,
    ) -> Result<Result<usize, Unsolved>, E::Stop> {
        equations.residual(&self.x, &mut self.residual)?;
        let mut worst = worst(equations, &self.x, &self.residual);
        self.iterates.clear();
        self.iterates.extend(self.x.get(worst.1));
        let exact = equations.exact();
        let small = self.x.len() <= SMALL;
        if !small && self.wasted > equations.cost() {
            self.has_matrix = false;
        }
        let mut fresh = false;
        for iteration in 0..=most {
            if worst.0 <= 1.0 {
                self.wasted += iteration.saturating_sub(GOOD);
                return Ok(Ok(iteration));
            }
            if worst.0.is_nan() {
                return Ok(Err(self.unsolved(Why::NoNumber, iteration, worst.1)));
            }
            if iteration == most {
                break;
            }
            if exact || !self.has_matrix {
                self.jacobian.clear();
                equations.jacobian(&self.x, &self.residual, &mut self.jacobian)?;
                (fresh, self.has_matrix, self.factorized, self.wasted) = (true, true, false, 0);
                if small {
                    self.jacobian.write_to(&mut self.matrix);
                }
            }
            for (step, residual) in self.step.iter_mut().zip(&self.residual) {
                *step = -residual;
            }
            self.has_matrix = match small {
                true => self.factors.factorize(&self.matrix),
                false => self.solve_large(),
            };
            if !self.has_matrix {
                if fresh {
                    return Ok(Err(self.unsolved(Why::Singular, iteration, worst.1)));
                }
                continue;
            }
            if small {
                self.factors.solve(&mut self.step);
            }
            let next = self.try_parts(equations, worst.0)?;
            if next.0.is_nan() || next.0 >= worst.0 {
                if fresh {
                    // Not even a matrix that was made just here helps.
                    return Ok(Err(self.unsolved(Why::Stuck, iteration + 1, worst.1)));
                }
                self.has_matrix = false;
                continue;
            }
            if !exact && !small {
                let rate = next.0 / worst.0;
                let left = (next.0.ln() / -rate.ln()).max(0.0);
                // A matrix that is not the one of this point still serves if it takes fewer evaluations than a new one.
                let serves = left < equations.cost().max(GOOD) as f64 && left < (most - iteration) as f64;
                self.has_matrix = rate < SLOW || fresh || serves;
                fresh = false;
            } else if !exact {
                for (residual, trial) in self.residual.iter_mut().zip(&self.trial_residual) {
                    *residual = trial - *residual;
                }
                self.matrix.broyden(&self.step, &mut self.residual);
                self.has_matrix = next.0 < SLOW * worst.0 || fresh;
                fresh = false;
            }
            std::mem::swap(&mut self.x, &mut self.trial);
            std::mem::swap(&mut self.residual, &mut self.trial_residual);
            worst = next;
            if self.iterates.len() < 64 {
                self.iterates.extend(self.x.get(worst.1));
            }
        }
        Ok(Err(self.unsolved(Why::Slow, most, worst.1)))
    }

    /// Solves the large system for the step: by products with its matrix, or by factors that are kept.
    fn solve_large(&mut self) -> bool {
        if !self.factorized {
            if self.krylov.solve(&self.jacobian, &mut self.step) {
                return true;
            }
            self.jacobian.write_to(&mut self.matrix);
            if !self.factors.factorize(&self.matrix) {
                return false;
            }
            self.factorized = true;
        }
        self.factors.solve(&mut self.step);
        true
    }

    /// A step of Newton's method, or as much of it as makes the residual smaller; `step` is then what was taken.
    fn try_parts<E: Equations>(&mut self, equations: &mut E, before: f64) -> Result<(f64, usize), E::Stop> {
        let mut part = 1.0;
        loop {
            for (trial, (x, step)) in self.trial.iter_mut().zip(self.x.iter().zip(&self.step)) {
                *trial = x + part * step;
            }
            equations.residual(&self.trial, &mut self.trial_residual)?;
            let next = worst(equations, &self.trial, &self.trial_residual);
            if next.0 < before || part < SMALLEST_PART {
                self.step.iter_mut().for_each(|step| *step *= part);
                return Ok(next);
            }
            part *= 0.5;
        }
    }

    fn unsolved(&self, why: Why, iterations: usize, worst: usize) -> Unsolved {
        Unsolved {
            why,
            iterations,
            worst,
            residual: self.residual.get(worst).copied().unwrap_or(0.0),
            iterates: self.iterates.clone(),
        }
    }
}

/// The largest residual as a multiple of what is tolerated, and its equation.
fn worst<E: Equations>(equations: &E, x: &[f64], residual: &[f64]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for (equation, (x, r)) in x.iter().zip(residual).enumerate() {
        let scaled = r.abs() / equations.tolerated(equation, *x);
        if scaled.is_nan() {
            return (f64::NAN, equation);
        }
        if scaled > worst.0 {
            worst = (scaled, equation);
        }
    }
    worst
}
