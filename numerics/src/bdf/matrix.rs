//! Newton's matrix `M = I - gamma J`, where its Jacobian has entries, and its factorization.

use super::band::Band;
use super::dense::Dense;
use super::sparse::Sparse;

/// Where the Jacobian has entries: compressed columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub(super) starts: Box<[usize]>,
    pub(super) rows: Box<[usize]>,
}

impl Pattern {
    /// The pattern of an `n` by `n` matrix with entries at `(row, column)`, in any order.
    ///
    /// Panics if an entry lies outside.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Pattern {
        let mut columns = vec![Vec::new(); n];
        for (row, column) in entries {
            assert!(
                row < n && column < n,
                "entry ({row}, {column}) of a matrix of size {n}"
            );
            columns[column].push(row);
        }
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for mut column in columns {
            column.sort_unstable();
            column.dedup();
            rows.extend(column);
            starts.push(rows.len());
        }
        Pattern {
            starts: starts.into(),
            rows: rows.into(),
        }
    }

    /// Entries everywhere.
    pub fn dense(n: usize) -> Pattern {
        Pattern::new(n, (0..n).flat_map(|column| (0..n).map(move |row| (row, column))))
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The rows of the entries of a column, ascending. The values of all columns follow one another.
    pub fn column(&self, column: usize) -> &[usize] {
        &self.rows[self.starts[column]..self.starts[column + 1]]
    }

    /// How far from the diagonal entries are, if they fill at least half of such a band.
    fn band(&self) -> Option<usize> {
        let distances = (0..self.size()).flat_map(|j| self.column(j).iter().map(move |&i| i.abs_diff(j)));
        let width = distances.max().unwrap_or(0);
        (2 * self.entries() >= self.size() * (2 * width + 1)).then_some(width)
    }

    /// Where the values of a column begin.
    pub fn start(&self, column: usize) -> usize {
        self.starts[column]
    }
}

/// The matrix and its factors.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    kind: Kind,
    is_factorized: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Full(Dense),
    Band(Band),
    Sparse(Box<Sparse>),
}

impl Matrix {
    pub fn new(pattern: &Pattern) -> Matrix {
        let n = pattern.size();
        Matrix {
            kind: match pattern.band() {
                _ if pattern.entries() == n * n => Kind::Full(Dense::new(n)),
                Some(width) => Kind::Band(Band::new(pattern, width)),
                None => Kind::Sparse(Box::new(Sparse::new(pattern))),
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
            Kind::Full(matrix) => matrix.factorize(gamma, jacobian),
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

/// What is next to nothing becomes nothing. A substitution makes numbers smaller from cell to cell, and those below the
/// normal ones cost a processor a hundred times as much.
#[inline]
pub(super) fn flushed(value: f64) -> f64 {
    if value.abs() < 1e-200 { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(n: usize, width: usize) -> Pattern {
        let near = move |j: usize| j.saturating_sub(width)..(j + width + 1).min(n);
        Pattern::new(n, (0..n).flat_map(|j| near(j).map(move |i| (i, j))))
    }

    /// Random matrices, some with a diagonal that is no pivot, against the residual.
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
                Pattern::new(n, entries),
                Pattern::dense(n),
                band(n, 1),
                band(n, 3),
            ] {
                let jacobian: Vec<f64> = (0..pattern.entries()).map(|_| 1e3 * (random() - 0.5)).collect();
                let x: Vec<f64> = (0..n).map(|_| random()).collect();
                for gamma in [0.0, 1e-3, 1.0] {
                    let mut b = x.clone();
                    for j in 0..n {
                        for (k, &i) in pattern.column(j).iter().enumerate() {
                            b[i] -= gamma * jacobian[pattern.start(j) + k] * x[j];
                        }
                    }
                    let mut matrix = Matrix::new(&pattern);
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
        let mut matrix = Matrix::new(&Pattern::new(2, [(0, 0), (1, 1)]));
        assert!(!matrix.factorize(1.0, &[1.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[f64::NAN, 0.0]));
        assert!(matrix.factorize(1.0, &[0.0, 0.0]));
        let mut matrix = Matrix::new(&Pattern::dense(2));
        assert!(!matrix.factorize(1.0, &[0.0, 1.0, 1.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[f64::NAN, 0.0, 0.0, 0.0]));
        assert!(!matrix.factorize(1.0, &[0.0, 0.0, 0.0, f64::INFINITY]));
        assert!(
            matrix.factorize(1.0, &[1.0, 1.0, 1.0, 1.0]),
            "the diagonal is no pivot"
        );
    }
}
