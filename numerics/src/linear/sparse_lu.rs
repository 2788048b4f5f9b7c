//! Newton's matrix, sparse, and its factorization by the crate `rsparse`: left-looking with partial pivoting, after
//! columns were ordered by approximate minimum degree of `A^T + A`.

use super::factors::Factors;
use crate::Pattern;
use rsparse::data::{Sprs, Symb};

/// The matrix, its ordering and its factors.
#[derive(Clone, Debug)]
pub(super) struct SparseLu {
    matrix: Sprs<f64>,
    ordering: Symb,
    factors: Factors,
    /// Where the entries of the Jacobian go.
    places: Box<[usize]>,
    /// Where the diagonal is.
    diagonal: Box<[usize]>,
}

/// Below this size an ordering gains nothing.
const SMALL: usize = 4;
/// The diagonal is preferred as pivot unless it is smaller than this part of the largest candidate.
const PREFERENCE: f64 = 0.1;

impl SparseLu {
    pub fn new(pattern: &Pattern) -> SparseLu {
        let n = pattern.columns();
        let diagonal_too = (0..n).map(|i| (i, i));
        let whole = Pattern::new(n, n, pattern.iter().chain(diagonal_too));
        let place = |i: usize, j: usize| whole.position(i, j).unwrap_or(0);
        let places = pattern.iter().map(|(i, j)| place(i, j)).collect();
        let matrix = Sprs {
            m: n,
            n,
            nzmax: whole.entries(),
            p: whole.starts().iter().map(|&start| start as isize).collect(),
            i: whole.iter().map(|(row, _)| row).collect(),
            x: vec![0.0; whole.entries()],
        };
        SparseLu {
            ordering: rsparse::sqr(&matrix, if n > SMALL { 0 } else { -1 }, false),
            matrix,
            factors: Factors::default(),
            places,
            diagonal: (0..n).map(|i| place(i, i)).collect(),
        }
    }

    /// Factorizes `I - gamma J`; false if it is singular or not finite.
    pub fn factorize(&mut self, gamma: f64, jacobian: &[f64]) -> bool {
        self.matrix.x.fill(0.0);
        for &i in &self.diagonal {
            self.matrix.x[i] = 1.0;
        }
        for (&i, j) in self.places.iter().zip(jacobian) {
            self.matrix.x[i] -= gamma * j;
        }
        if !self.matrix.x.iter().all(|x| x.is_finite()) {
            return false;
        }
        match rsparse::lu(&self.matrix, &mut self.ordering, PREFERENCE) {
            Ok(factors) => self.factors.assign(&factors, &self.ordering),
            Err(_) => return false,
        }
        true
    }

    /// Solves `M x = b` in place, with the last factorization.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.factors.solve(b);
    }
}
