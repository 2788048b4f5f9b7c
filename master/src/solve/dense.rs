//! Square matrices and their factors, in memory that is kept.

use std::ops::{Index, IndexMut};

/// A pivot that is so much smaller than the largest of its matrix has lost all its digits.
const LOST: f64 = 1e-11;

/// A square matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Square {
    n: usize,
    entries: Vec<f64>,
}

impl Square {
    /// All zeros.
    pub fn zeros(n: usize) -> Square {
        Square {
            n,
            entries: vec![0.0; n * n],
        }
    }

    /// Entry by entry: `f(row, column)`.
    pub fn from_fn(n: usize, f: impl Fn(usize, usize) -> f64) -> Square {
        let entries = (0..n * n).map(|at| f(at / n, at % n)).collect();
        Square { n, entries }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Broyden's update: the matrix shall map the step `dx` to the change `df` that was seen.
    ///
    /// ```
    /// use fmu_master::solve::Square;
    ///
    /// let mut matrix = Square::from_fn(2, |row, column| if row == column { 1.0 } else { 0.0 });
    /// matrix.broyden(&[1.0, 2.0], &[3.0, -1.0]);
    /// assert!((matrix[(0, 0)] + 2.0 * matrix[(0, 1)] - 3.0).abs() < 1e-15);
    /// ```
    pub fn broyden(&mut self, dx: &[f64], df: &[f64]) {
        let length: f64 = dx.iter().map(|dx| dx * dx).sum();
        if length == 0.0 {
            return;
        }
        for (row, df) in self.entries.chunks_exact_mut(self.n).zip(df) {
            let mapped: f64 = row.iter().zip(dx).map(|(entry, dx)| entry * dx).sum();
            let miss = (df - mapped) / length;
            row.iter_mut().zip(dx).for_each(|(entry, dx)| *entry += miss * dx);
        }
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[row * self.n + column]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[row * self.n + column]
    }
}

/// A matrix as a product of triangles, with rows exchanged.
#[derive(Clone, Debug, Default)]
pub struct Factors {
    n: usize,
    lu: Vec<f64>,
    pivots: Vec<usize>,
}

impl Factors {
    /// Factorizes a matrix into memory that is kept; false if it is singular, or so nearly that no digit would be left.
    ///
    /// ```
    /// use fmu_master::solve::{Factors, Square};
    ///
    /// let mut factors = Factors::default();
    /// assert!(factors.factorize(&Square::from_fn(2, |row, column| if row == column { 0.0 } else { 2.0 })));
    /// let mut x = [4.0, 6.0];
    /// factors.solve(&mut x);
    /// assert_eq!(x, [3.0, 2.0]);
    /// assert!(!factors.factorize(&Square::zeros(2)));
    /// ```
    pub fn factorize(&mut self, matrix: &Square) -> bool {
        let n = matrix.n;
        self.n = n;
        self.lu.clear();
        self.lu.extend_from_slice(&matrix.entries);
        self.pivots.clear();
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
        for column in 0..n {
            let size = |row: usize| self.lu[row * n + column].abs();
            let pivot = (column..n).fold(
                column,
                |best, row| if size(row) > size(best) { row } else { best },
            );
            let value = size(pivot);
            (smallest, largest) = (smallest.min(value), largest.max(value));
            if value.is_nan() || value == 0.0 {
                return false;
            }
            self.pivots.push(pivot);
            if pivot != column {
                for k in 0..n {
                    self.lu.swap(pivot * n + k, column * n + k);
                }
            }
            let (above, below) = self.lu.split_at_mut((column + 1) * n);
            let upper = &above[column * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[column] / upper[column];
                row[column] = factor;
                if factor != 0.0 {
                    for k in column + 1..n {
                        row[k] -= factor * upper[k];
                    }
                }
            }
        }
        n == 0 || smallest > LOST * largest
    }

    /// Solves for a right side, which becomes the solution.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (column, &pivot) in self.pivots.iter().enumerate() {
            x.swap(column, pivot);
        }
        for row in 1..n {
            let known: f64 = (0..row).map(|k| self.lu[row * n + k] * x[k]).sum();
            x[row] -= known;
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| self.lu[row * n + k] * x[k]).sum();
            x[row] = (x[row] - known) / self.lu[row * n + row];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system that needs exchanges of rows, with a solution of whole numbers.
    #[test]
    fn rows_are_exchanged() {
        let rows = [[0.0, 2.0, 1.0], [4.0, 1.0, -1.0], [2.0, 2.0, 3.0]];
        let mut factors = Factors::default();
        assert!(factors.factorize(&Square::from_fn(3, |row, column| rows[row][column])));
        let solution = [1.0, -2.0, 3.0];
        let mut x = rows.map(|row| row.iter().zip(solution).map(|(a, x)| a * x).sum());
        factors.solve(&mut x);
        for (x, exact) in x.iter().zip(solution) {
            assert!((x - exact).abs() < 1e-14, "{x} {exact}");
        }
    }

    #[test]
    fn singular_matrices_are_refused() {
        let mut factors = Factors::default();
        assert!(!factors.factorize(&Square::from_fn(2, |row, _| row as f64 + 1.0)));
        assert!(!factors.factorize(&Square::from_fn(2, |_, _| f64::NAN)));
        assert!(factors.factorize(&Square::zeros(0)));
    }
}
