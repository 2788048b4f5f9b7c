//! Where a sparse matrix has entries, column by column.

use std::ops::Range;

/// The entries of a sparse matrix without their values: sorted by columns, and by rows within a column.
///
/// The position of an entry in this order is the position of its value, wherever values of the matrix are written.
///
/// ```
/// use fmu_numerics::Pattern;
///
/// // Each cell of a rod depends on itself and its neighbours.
/// let rod = Pattern::from_rows(4, (0..4usize).map(|i| i.saturating_sub(1)..(i + 2).min(4)));
/// assert_eq!((rod.rows(), rod.columns(), rod.entries()), (4, 4, 10));
/// assert_eq!(rod.column(1), [0, 1, 2]);
/// assert_eq!(rod.position(2, 1), Some(4));
/// assert_eq!(rod.position(3, 1), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    rows: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
}

impl Pattern {
    /// From pairs (row, column) in any order; repeated ones count once.
    ///
    /// # Panics
    /// For an entry outside of the matrix.
    ///
    /// ```
    /// use fmu_numerics::Pattern;
    ///
    /// let pattern = Pattern::new(2, 3, [(1, 2), (0, 0), (1, 2)]);
    /// assert!(pattern.iter().eq([(0, 0), (1, 2)]));
    /// ```
    pub fn new(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut pairs: Vec<(usize, usize)> = entries.into_iter().map(|(row, column)| (column, row)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; columns + 1];
        for (column, row) in &pairs {
            assert!(*row < rows && *column < columns, "entry inside of the matrix");
            starts[column + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        Self {
            rows,
            starts,
            indices: pairs.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// From the columns of each row, in any order; repeated ones count once.
    ///
    /// # Panics
    /// For a column beyond `columns`.
    ///
    /// ```
    /// use fmu_numerics::Pattern;
    ///
    /// let pattern = Pattern::from_rows(3, [vec![2, 0], vec![], vec![1]]);
    /// assert!(pattern.iter().eq([(0, 0), (2, 1), (0, 2)]));
    /// ```
    pub fn from_rows<R: IntoIterator<Item = usize>>(
        columns: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let (mut pairs, mut count) = (Vec::new(), 0);
        for row in rows {
            pairs.extend(row.into_iter().map(|column| (count, column)));
            count += 1;
        }
        Self::new(count, columns, pairs)
    }

    /// Every entry.
    ///
    /// ```
    /// assert_eq!(fmu_numerics::Pattern::full(2, 3).entries(), 6);
    /// ```
    pub fn full(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            starts: (0..=columns).map(|column| column * rows).collect(),
            indices: (0..columns).flat_map(|_| 0..rows).collect(),
        }
    }

    /// The position of the first entry of each column and, behind the last column, the number of entries.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// The rows of a column's entries, in ascending order.
    pub fn column(&self, column: usize) -> &[usize] {
        &self.indices[self.range(column)]
    }

    /// The positions of a column's entries.
    pub fn range(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The row of the entry at a position.
    pub fn row(&self, position: usize) -> usize {
        self.indices[position]
    }

    /// The position of an entry; `None` where the matrix is always zero.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let found = self.column(column).binary_search(&row);
        found.ok().map(|at| self.starts[column] + at)
    }

    /// All entries as (row, column), in their order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns()).flat_map(|column| self.column(column).iter().map(move |row| (*row, column)))
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn rows_and_pairs_give_the_same_pattern() {
        let rows = [vec![3, 1, 3], vec![], vec![0, 2]];
        let pairs = [(2, 2), (0, 1), (2, 0), (0, 3)];
        let pattern = Pattern::from_rows(4, rows);
        assert_eq!(pattern, Pattern::new(3, 4, pairs));
        assert_eq!(pattern.starts(), [0, 1, 2, 3, 4]);
        for (at, (row, column)) in pattern.iter().enumerate() {
            assert_eq!(pattern.position(row, column), Some(at));
            assert_eq!(pattern.row(at), row);
        }
        assert_eq!(pattern.position(1, 0), None);
    }

    #[test]
    #[should_panic(expected = "inside of the matrix")]
    fn an_entry_beyond_the_last_column_is_refused() {
        Pattern::from_rows(2, [[2]]);
    }
}
