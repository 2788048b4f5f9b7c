//! Square matrices with all their entries.

use std::ops::{Index, IndexMut};

/// A square matrix, column by column.
///
/// ```
/// use fmu_numerics::Square;
///
/// let mut matrix = Square::from_fn(2, |row, column| (10 * row + column) as f64);
/// matrix[(0, 1)] = 5.0;
/// assert_eq!(matrix.entries(), [0.0, 10.0, 5.0, 11.0]);
/// let mut product = [0.0; 2];
/// matrix.multiply(&[1.0, 2.0], &mut product);
/// assert_eq!(product, [10.0, 32.0]);
/// ```
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
        let entries = (0..n * n).map(|at| f(at % n, at / n)).collect();
        Square { n, entries }
    }

    /// The number of rows.
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

    /// All entries, column by column.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, column by column.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Takes over the size and the entries of another matrix, in the memory that is there if it is large enough.
    pub fn assign(&mut self, other: &Square) {
        self.n = other.n;
        self.entries.clone_from(&other.entries);
    }

    /// The product with a vector.
    pub fn multiply(&self, x: &[f64], product: &mut [f64]) {
        product.fill(0.0);
        for (column, x) in self.entries.chunks_exact(self.n.max(1)).zip(x) {
            for (product, entry) in product.iter_mut().zip(column) {
                *product += entry * x;
            }
        }
    }

    /// Broyden's update: afterwards the matrix maps the step `dx` to the change `df` that was seen. `df` becomes
    /// working memory.
    ///
    /// ```
    /// use fmu_numerics::Square;
    ///
    /// let mut matrix = Square::from_fn(2, |row, column| if row == column { 1.0 } else { 0.0 });
    /// matrix.broyden(&[1.0, 2.0], &mut [3.0, -1.0]);
    /// assert!((matrix[(0, 0)] + 2.0 * matrix[(0, 1)] - 3.0).abs() < 1e-15);
    /// assert!((matrix[(1, 0)] + 2.0 * matrix[(1, 1)] + 1.0).abs() < 1e-15);
    /// ```
    pub fn broyden(&mut self, dx: &[f64], df: &mut [f64]) {
        let length: f64 = dx.iter().map(|dx| dx * dx).sum();
        if length == 0.0 {
            return;
        }
        for (column, dx) in self.entries.chunks_exact(self.n.max(1)).zip(dx) {
            for (df, entry) in df.iter_mut().zip(column) {
                *df -= entry * dx;
            }
        }
        for (column, dx) in self.entries.chunks_exact_mut(self.n.max(1)).zip(dx) {
            let part = dx / length;
            for (entry, miss) in column.iter_mut().zip(&*df) {
                *entry += miss * part;
            }
        }
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[column * self.n + row]
    }
}

impl IndexMut<(usize, usize)> for Square {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[column * self.n + row]
    }
}
