//! Newton's matrix `M = I - gamma J`, where its Jacobian has entries, and its factorization.

use super::band::Band;
use super::lu::Lu;
use super::sparse_lu::SparseLu;
use crate::Pattern;

/// How far from the diagonal entries are, if they fill at least half of such a band.
fn band_width(pattern: &Pattern) -> Option<usize> {
    let width = pattern.iter().map(|(i, j)| i.abs_diff(j)).max().unwrap_or(0);
    (2 * pattern.entries() >= pattern.columns() * (2 * width + 1)).then_some(width)
}

/// The matrix and its factors.
#[derive(Clone, Debug)]
pub(crate) struct IterationMatrix {
    kind: Kind,
    is_factorized: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Full(Lu),
    Band(Band),
    Sparse(Box<SparseLu>),
}

impl IterationMatrix {
    pub fn new(pattern: &Pattern) -> IterationMatrix {
        let n = pattern.columns();
        IterationMatrix {
            kind: match band_width(pattern) {
                _ if pattern.entries() == n * n => Kind::Full(Lu::new(n)),
                Some(width) => Kind::Band(Band::new(pattern, width)),
                None => Kind::Sparse(Box::new(SparseLu::new(pattern))),
            },
            is_factorized: false,
        }
    }

    pub fn is_factorized(&self) -> bool {
        self.is_factorized
    }

    /// Factorizes `I - gamma J`; false if it is singular or not finite.
    pub fn factorize(&mut self, gamma: f64, jacobian: &[f64]) -> bool {
        self.is_factorized = match &mut self.kind {
            Kind::Full(lu) => factorize_full(lu, gamma, jacobian),
            Kind::Band(matrix) => matrix.factorize(gamma, jacobian),
            Kind::Sparse(matrix) => matrix.factorize(gamma, jacobian),
        };
        self.is_factorized
    }

    /// Solves `M x = b` in place, with the last factorization.
    pub fn solve(&mut self, b: &mut [f64]) {
        match &mut self.kind {
            _ if !self.is_factorized => {}
            Kind::Full(matrix) => matrix.solve(b),
            Kind::Band(matrix) => matrix.solve(b),
            Kind::Sparse(matrix) => matrix.solve(b),
        }
    }
}

fn factorize_full(lu: &mut Lu, gamma: f64, jacobian: &[f64]) -> bool {
    let n = lu.matrix_mut().len();
    let matrix = lu.matrix_mut().entries_mut();
    for (m, j) in matrix.iter_mut().zip(jacobian) {
        *m = -gamma * j;
    }
    for diagonal in matrix.iter_mut().step_by(n + 1) {
        *diagonal += 1.0;
    }
    lu.factorize_in_place()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(n: usize, width: usize) -> Pattern {
        let near = move |j: usize| j.saturating_sub(width)..(j + width + 1).min(n);
        Pattern::new(n, n, (0..n).flat_map(|j| near(j).map(move |i| (i, j))))
    }

    /// Random matrices, some with a diagonal that is not a pivot, against the residual.
    #[test]
    fn solves_what_it_factorized() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for n in [1, 2, 3, 5, 17, 60] {
            let mut entries = Vec::new();
            for _ in 0..4 * n {
                let at = |r: f64| (r * n as f64) as usize;
                entries.push((at(random()), at(random())));
            }
            for pattern in [
                Pattern::new(n, n, entries),
                Pattern::full(n, n),
                band(n, 1),
                band(n, 3),
            ] {
                let jacobian: Vec<f64> = (0..pattern.entries()).map(|_| 1e3 * (random() - 0.5)).collect();
                let x: Vec<f64> = (0..n).map(|_| random()).collect();
                for gamma in [0.0, 1e-3, 1.0] {
                    let mut b = x.clone();
                    for j in 0..n {
                        for (k, &i) in pattern.column(j).iter().enumerate() {
                            b[i] -= gamma * jacobian[pattern.range(j).start + k] * x[j];
                        }
                    }
                    let mut matrix = IterationMatrix::new(&pattern);
                    assert!(matrix.factorize(gamma, &jacobian));
                    matrix.solve(&mut b);
                    let error = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
                    assert!(error < 1e-8, "{n} {gamma} {error}");
                }
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_no_factorization() {
        let mut matrix = IterationMatrix::new(&Pattern::new(2, 2, [(0, 0), (1, 1)]));
        assert!(!matrix.factorize(1.0, &[1.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[f64::NAN, 0.0]));
        assert!(matrix.factorize(1.0, &[0.0, 0.0]));
        let mut matrix = IterationMatrix::new(&Pattern::full(2, 2));
        assert!(!matrix.factorize(1.0, &[0.0, 1.0, 1.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[f64::NAN, 0.0, 0.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[0.0, 0.0, 0.0, f64::INFINITY]));
        assert!(
            matrix.factorize(1.0, &[1.0, 1.0, 1.0, 1.0]),
            "the diagonal is not a pivot"
        );
    }
}
