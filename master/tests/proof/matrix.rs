//! Linear algebra for references: closed systems, the matrix exponential, condition numbers.

use nalgebra::{DMatrix, DVector};

/// The matrix exponential: a Taylor series of a matrix that was halved until it is small, and squared as often.
pub fn exponential(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let n = matrix.nrows();
    let halvings = (norm(matrix) / 0.25).log2().ceil().max(0.0) as i32;
    let small = matrix / 2f64.powi(halvings);
    let mut sum = DMatrix::identity(n, n);
    let mut term = DMatrix::identity(n, n);
    for k in 1..=16 {
        term = &term * &small / f64::from(k);
        sum += &term;
    }
    for _ in 0..halvings {
        sum = &sum * &sum;
    }
    sum
}

/// The largest sum of the sizes in a row.
pub fn norm(matrix: &DMatrix<f64>) -> f64 {
    let rows = matrix
        .row_iter()
        .map(|row| row.iter().map(|entry| entry.abs()).sum());
    rows.fold(0.0, f64::max)
}

/// `norm(m) norm(m^-1)`, infinite for a singular matrix.
pub fn condition(matrix: &DMatrix<f64>) -> f64 {
    match matrix.clone().try_inverse() {
        Some(inverse) => norm(matrix) * norm(&inverse),
        None => f64::INFINITY,
    }
}

/// A bound on the norm of exp(A (t - s)) for 0 <= s <= t <= stop, from 200 points.
pub fn growth(a: &DMatrix<f64>, stop: f64) -> f64 {
    const POINTS: i32 = 200;
    let one = exponential(&(a * (stop / f64::from(POINTS))));
    let mut all = DMatrix::identity(a.nrows(), a.nrows());
    let mut largest: f64 = 1.0;
    for _ in 0..POINTS {
        all = &all * &one;
        largest = largest.max(norm(&all));
    }
    largest
}

/// `x' = a x`, `y = c x`: a system without inputs, advanced from one time to the next by its Taylor series, whose terms are
/// summed until they are below rounding.
pub struct Closed {
    pub a: DMatrix<f64>,
    pub c: DMatrix<f64>,
    pub x: DVector<f64>,
}

impl Closed {
    /// The outputs at increasing times, the first of which has the states `x`.
    pub fn outputs(&self, times: &[f64]) -> Vec<Vec<f64>> {
        let (a, c) = (Rows::new(&self.a), Rows::new(&self.c));
        let mut x = self.x.as_slice().to_vec();
        let (mut term, mut next) = (x.clone(), x.clone());
        let mut now = times.first().copied().unwrap_or(0.0);
        let mut outputs = Vec::with_capacity(times.len());
        let size = norm(&self.a);
        for &time in times {
            let parts = (size * (time - now)).ceil().max(1.0);
            let h = (time - now) / parts;
            for _ in 0..parts as usize {
                term.copy_from_slice(&x);
                for k in 1..=30 {
                    next.fill(0.0);
                    a.add(&term, &mut next);
                    let mut largest: f64 = 0.0;
                    for ((term, next), x) in term.iter_mut().zip(&next).zip(&mut x) {
                        *term = next * h / f64::from(k);
                        *x += *term;
                        largest = largest.max(term.abs());
                    }
                    if largest < 1e-18 {
                        break;
                    }
                }
            }
            now = time;
            let mut y = vec![0.0; self.c.nrows()];
            c.add(&x, &mut y);
            outputs.push(y);
        }
        outputs
    }
}

/// A matrix row by row, without the checks of a matrix: unoptimised tests multiply often.
#[derive(Clone)]
pub struct Rows {
    columns: usize,
    pub entries: Vec<f64>,
}

impl Rows {
    pub fn new(matrix: &DMatrix<f64>) -> Rows {
        Rows {
            columns: matrix.ncols(),
            entries: matrix.transpose().as_slice().to_vec(),
        }
    }

    /// Adds the product with a vector.
    pub fn add(&self, x: &[f64], sum: &mut [f64]) {
        if self.columns == 0 {
            return;
        }
        for (row, sum) in self.entries.chunks_exact(self.columns).zip(sum) {
            for (entry, x) in row.iter().zip(x) {
                *sum += entry * x;
            }
        }
    }
}
