//! Sparse matrices, as far as results need them.

use std::ops::Range;

use fmu_numerics::Pattern;

/// A matrix whose entries are where dependencies were declared; all others are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pattern: Pattern,
    values: Vec<f64>,
}

impl Matrix {
    pub(crate) fn new(pattern: Pattern, values: Vec<f64>) -> Self {
        Self { pattern, values }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.pattern.columns()
    }

    /// One entry.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let found = self.pattern.position(row, column);
        found.map_or(0.0, |position| self.values[position])
    }

    /// The entries as (row, column, value), column by column.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.pattern
            .iter()
            .zip(&self.values)
            .map(|((row, column), value)| (row, column, *value))
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// All entries, row by row.
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.columns()]; self.rows()];
        for (row, column, value) in self.iter() {
            rows[row][column] = value;
        }
        rows
    }

    /// A part of it.
    pub(super) fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Self {
        let inside = self
            .iter()
            .filter(|(row, column, _)| rows.contains(row) && columns.contains(column));
        let (places, values): (Vec<_>, Vec<_>) = inside
            .map(|(row, column, value)| ((row - rows.start, column - columns.start), value))
            .unzip();
        Self {
            pattern: Pattern::new(rows.len(), columns.len(), places),
            values,
        }
    }
}
