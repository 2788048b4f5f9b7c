//! Square matrices of which only some entries can differ from zero.

use std::ops::{Index, IndexMut};

use super::Square;

/// A square matrix with a fixed pattern of entries, row by row.
///
/// ```
/// use fmu_numerics::Sparse;
///
/// let mut matrix = Sparse::new([vec![0, 1], vec![1]]);
/// matrix[(0, 1)] = 3.0;
/// matrix[(1, 1)] = 2.0;
/// let mut product = [0.0; 2];
/// matrix.multiply(&[1.0, 10.0], &mut product);
/// assert_eq!(product, [30.0, 20.0]);
/// assert_eq!(matrix[(1, 0)], 0.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// The entries of `row` are those from `starts[row]` to `starts[row + 1]`.
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    /// Entries side by side, row by row: the first column, and the first entry and the one behind the last.
    runs: Vec<(usize, usize, usize)>,
    run_starts: Vec<usize>,
}

impl Sparse {
    /// All zeros, with the columns of each row that may be something else, in ascending order.
    pub fn new(rows: impl IntoIterator<Item = Vec<usize>>) -> Sparse {
        let mut matrix = Sparse {
            starts: vec![0],
            run_starts: vec![0],
            ..Sparse::default()
        };
        for row in rows {
            debug_assert!(row.is_sorted());
            for run in row.chunk_by(|one, next| one + 1 == *next) {
                let first = matrix.columns.len();
                matrix.runs.push((run[0], first, first + run.len()));
                matrix.columns.extend(run);
            }
            matrix.starts.push(matrix.columns.len());
            matrix.run_starts.push(matrix.runs.len());
        }
        matrix.values = vec![0.0; matrix.columns.len()];
        matrix
    }

    /// All zeros, of which any may be something else.
    pub fn full(n: usize) -> Sparse {
        Sparse::new((0..n).map(|_| (0..n).collect()))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// The entries of a row with their columns.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let entries = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[entries.clone()].iter().copied();
        columns.zip(self.values[entries].iter().copied())
    }

    /// The entries of a row with their columns, to be changed.
    pub fn row_mut(&mut self, row: usize) -> impl Iterator<Item = (usize, &mut f64)> {
        let entries = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[entries.clone()].iter().copied();
        columns.zip(&mut self.values[entries])
    }

    /// The product with a vector.
    pub fn multiply(&self, x: &[f64], product: &mut [f64]) {
        for (row, product) in product.iter_mut().enumerate() {
            let runs = &self.runs[self.run_starts[row]..self.run_starts[row + 1]];
            let of = |&(column, first, end): &(usize, usize, usize)| {
                dot(&self.values[first..end], &x[column..column + end - first])
            };
            *product = runs.iter().map(of).sum();
        }
    }

    /// The same matrix with all its entries.
    pub fn write_to(&self, matrix: &mut Square) {
        if matrix.len() != self.len() {
            *matrix = Square::zeros(self.len());
        }
        matrix.clear();
        for row in 0..self.len() {
            for (column, value) in self.row(row) {
                matrix[(row, column)] = value;
            }
        }
    }

    fn position(&self, (row, column): (usize, usize)) -> Option<usize> {
        let start = self.starts[row];
        let columns = &self.columns[start..self.starts[row + 1]];
        columns.binary_search(&column).ok().map(|at| start + at)
    }
}

/// The sum of products, with several sums side by side.
#[inline]
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (chunks, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest = chunks.remainder().iter().zip(others.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (a, b) in chunks.zip(others) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

impl Index<(usize, usize)> for Sparse {
    type Output = f64;
    fn index(&self, at: (usize, usize)) -> &f64 {
        self.position(at).map_or(&0.0, |at| &self.values[at])
    }
}

impl IndexMut<(usize, usize)> for Sparse {
    /// # Panics
    /// For an entry that the pattern does not have.
    fn index_mut(&mut self, at: (usize, usize)) -> &mut f64 {
        let position = self.position(at).expect("the pattern has this entry");
        &mut self.values[position]
    }
}
