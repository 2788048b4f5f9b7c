//! LU factorization of a full matrix with partial pivoting, column by column. Zeros cost nothing: matrices whose
//! pattern is not known are sparse more often than not.

use super::Square;

/// A pivot that is smaller than the largest one by this factor has lost all its digits.
const LOST: f64 = 1e-11;

/// `P M = L U`, the factors in one square.
///
/// ```
/// use fmu_numerics::{Lu, Square};
///
/// let rows = [[0.0, 4.0], [2.0, 1.0]];
/// let mut lu = Lu::default();
/// assert!(lu.factorize(&Square::from_fn(2, |row, column| rows[row][column])));
/// let mut x = [8.0, 5.0];
/// lu.solve(&mut x);
/// assert_eq!(x, [1.5, 2.0]);
/// assert!(!lu.factorize(&Square::zeros(2)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lu {
    /// Below the diagonal the factors of the elimination, on it the reciprocals of the pivots.
    lu: Square,
    /// The row that each row was exchanged with.
    exchanged: Vec<usize>,
    /// In each column, the first row from which on all factors of the elimination are zero.
    ends: Vec<usize>,
    /// Columns that have a pivot.
    done: usize,
}

impl Lu {
    /// With room for matrices that have `n` rows.
    pub fn new(n: usize) -> Lu {
        Lu {
            lu: Square::zeros(n),
            exchanged: vec![0; n],
            ends: vec![0; n],
            done: 0,
        }
    }

    /// Factorizes a matrix; false if it is not finite, singular, or so nearly singular that no digit of a solution
    /// would be left.
    pub fn factorize(&mut self, matrix: &Square) -> bool {
        self.lu.assign(matrix);
        if !self.factorize_in_place() {
            return false;
        }
        let n = self.lu.len();
        let reciprocals = (0..n).map(|k| self.lu[(k, k)].abs());
        let (least, most) = reciprocals.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), r| {
            (least.min(r), most.max(r))
        });
        n == 0 || least > LOST * most
    }

    /// The matrix for [`Lu::factorize_in_place`], which overwrites it with its factors.
    ///
    /// ```
    /// use fmu_numerics::Lu;
    ///
    /// let mut lu = Lu::new(2);
    /// lu.matrix_mut().entries_mut().copy_from_slice(&[1.0, 0.0, 0.0, 1e-300]);
    /// assert!(lu.factorize_in_place());
    /// ```
    pub fn matrix_mut(&mut self) -> &mut Square {
        &mut self.lu
    }

    /// Factorizes the matrix that was written to [`Lu::matrix_mut`], however badly it is scaled; false if it is
    /// singular or not finite.
    pub fn factorize_in_place(&mut self) -> bool {
        let n = self.lu.len();
        self.exchanged.resize(n, 0);
        self.ends.resize(n, 0);
        for k in 0..n {
            self.done = k;
            let (before, column) = self.lu.entries_mut().split_at_mut(k * n);
            let column = &mut column[..n];
            for (j, &row) in self.exchanged[..k].iter().enumerate() {
                column.swap(j, row);
            }
            // What the columns before have to say of this one.
            for ((j, eliminated), &end) in before.chunks_exact(n).enumerate().zip(&self.ends) {
                let factor = column[j];
                if factor == 0.0 {
                    continue;
                }
                for (m, l) in column[j + 1..end].iter_mut().zip(&eliminated[j + 1..end]) {
                    *m -= factor * l;
                }
            }
            // A sum that is 0 unless a number is not finite.
            let mut zero: f64 = column[..k].iter().map(|m| m * 0.0).sum();
            let (mut row, mut largest, mut end) = (k, 0.0, k + 1);
            for (i, m) in column.iter().enumerate().skip(k) {
                if m.abs() > largest {
                    (row, largest) = (i, m.abs());
                }
                if *m != 0.0 {
                    end = i + 1;
                }
                zero += m * 0.0;
            }
            let pivot = 1.0 / column[row];
            if largest == 0.0 || zero != 0.0 || !pivot.is_finite() {
                return false;
            }
            self.exchanged[k] = row;
            column.swap(k, row);
            column[k] = pivot;
            column[k + 1..end].iter_mut().for_each(|m| *m *= pivot);
            // At least up to the row that the pivot came from, where what stood in its place is now.
            self.ends[k] = end.max(row + 1);
            if row != k {
                for (earlier, end) in before.chunks_exact_mut(n).zip(&mut self.ends) {
                    earlier.swap(k, row);
                    if earlier[row] != 0.0 {
                        *end = (*end).max(row + 1);
                    }
                }
            }
        }
        self.done = n;
        true
    }

    /// The column with the smallest pivot of the last factorization, and that pivot: 0 where the factorization ended
    /// early.
    ///
    /// ```
    /// use fmu_numerics::{Lu, Square};
    ///
    /// let mut lu = Lu::default();
    /// lu.factorize(&Square::from_fn(2, |row, column| if row == column { 4.0 - 2.0 * row as f64 } else { 0.0 }));
    /// assert_eq!(lu.smallest_pivot(), Some((1, 2.0)));
    /// ```
    pub fn smallest_pivot(&self) -> Option<(usize, f64)> {
        let n = self.lu.len();
        if self.done < n {
            return Some((self.done, 0.0));
        }
        let pivots = (0..n).map(|k| (k, 1.0 / self.lu[(k, k)].abs()));
        pivots.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Takes over other factors, in the memory that is there if it is large enough.
    pub fn assign(&mut self, other: &Lu) {
        self.lu.assign(&other.lu);
        self.exchanged.clone_from(&other.exchanged);
        self.ends.clone_from(&other.ends);
        self.done = other.done;
    }

    /// Solves `M x = b` in place, with the matrix that was factorized last.
    pub fn solve(&self, b: &mut [f64]) {
        let columns = self.lu.entries().chunks_exact(self.lu.len().max(1));
        for (k, &row) in self.exchanged.iter().enumerate() {
            b.swap(k, row);
        }
        for ((k, column), &end) in columns.clone().enumerate().zip(&self.ends) {
            let value = b[k];
            for (b, l) in b[k + 1..end].iter_mut().zip(&column[k + 1..end]) {
                *b -= value * l;
            }
        }
        for (k, column) in columns.enumerate().rev() {
            let value = b[k] * column[k];
            b[k] = value;
            if value == 0.0 {
                continue;
            }
            for (b, u) in b[..k].iter_mut().zip(&column[..k]) {
                *b -= value * u;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lu, Square};

    /// Numbers between -1 and 1, without a pattern to see.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn solutions_satisfy_the_equations_whatever_is_zero() {
        for n in [1, 2, 3, 7, 20, 45] {
            for (seed, density) in [(1, 1.0), (2, 0.5), (3, 0.2), (4, 0.05)] {
                let mut next = numbers(seed * 100 + n as u64);
                // Without a diagonal rows must be exchanged; a permutation keeps it regular.
                let mut matrix = Square::zeros(n);
                for column in 0..n {
                    for row in 0..n {
                        if 0.5 * (next() + 1.0) < density {
                            matrix[(row, column)] = next();
                        }
                    }
                    matrix[((3 * column + 1) % n, column)] += 3.0;
                }
                let mut lu = Lu::new(n);
                // Twice: nothing of an earlier matrix may be left.
                lu.matrix_mut().entries_mut().fill(1.0);
                lu.factorize_in_place();
                let regular = lu.factorize(&matrix);
                if n % 3 == 0 && !regular {
                    // The permutation is one only where 3 and n have no common divisor.
                    continue;
                }
                assert!(regular, "{n} {density}");
                let solution: Vec<f64> = (0..n).map(|_| next()).collect();
                let mut b = vec![0.0; n];
                matrix.multiply(&solution, &mut b);
                lu.solve(&mut b);
                for (found, exact) in b.iter().zip(&solution) {
                    assert!((found - exact).abs() < 1e-9, "{n} {density}: {found} {exact}");
                }
            }
        }
    }

    #[test]
    fn singular_and_infinite_matrices_are_refused() {
        let mut lu = Lu::new(2);
        for matrix in [
            [1.0, 2.0, 2.0, 4.0],
            [0.0; 4],
            [f64::INFINITY, 0.0, 0.0, 1.0],
            [f64::NAN; 4],
            // The other entries are those of a permutation.
            [f64::NAN, 1.0, 1.0, 0.0],
            [1.0, 0.0, f64::NAN, 1.0],
            [1.0, 0.0, f64::NEG_INFINITY, 1.0],
        ] {
            lu.matrix_mut().entries_mut().copy_from_slice(&matrix);
            assert!(!lu.factorize_in_place(), "{matrix:?}");
        }
        assert!(lu.factorize(&Square::zeros(0)));
    }

    #[test]
    fn a_matrix_without_digits_is_refused_unless_its_scaling_is_meant() {
        let nearly = Square::from_fn(2, |row, column| if row + column == 2 { 1.0 + 1e-13 } else { 1.0 });
        let mut lu = Lu::default();
        assert!(!lu.factorize(&nearly));
        *lu.matrix_mut() = nearly;
        assert!(lu.factorize_in_place());
    }
}
