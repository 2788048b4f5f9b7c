//! Which columns of a Jacobian are followed in one direction: those that share no row.
//!
//! Curtis, Powell and Reid, *On the estimation of sparse Jacobian matrices* (1974): columns that have no row in
//! common get the same colour, and one directional derivative along all columns of a colour holds all their
//! entries.

use std::ops::Range;

/// Which entries of a matrix may be other than 0, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparsity {
    columns: usize,
    /// Where each row begins in `entries`, and the end of the last.
    starts: Vec<usize>,
    /// The columns of all entries, ascending in each row.
    entries: Vec<usize>,
}

impl Sparsity {
    /// A pattern from the columns of each row.
    ///
    /// # Panics
    /// Where a row names a column beyond `columns`.
    pub fn new<R: IntoIterator<Item = usize>>(columns: usize, rows: impl IntoIterator<Item = R>) -> Sparsity {
        let mut pattern = Sparsity {
            columns,
            starts: vec![0],
            entries: Vec::new(),
        };
        for row in rows {
            let start = pattern.entries.len();
            pattern.entries.extend(row);
            let entries = &mut pattern.entries[start..];
            entries.sort_unstable();
            assert!(
                entries.last().is_none_or(|&column| column < columns),
                "an entry beyond column {columns}"
            );
            let mut fresh = start;
            for i in start..pattern.entries.len() {
                if i == start || pattern.entries[i] != pattern.entries[fresh - 1] {
                    pattern.entries[fresh] = pattern.entries[i];
                    fresh += 1;
                }
            }
            pattern.entries.truncate(fresh);
            pattern.starts.push(fresh);
        }
        pattern
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The numbers of the entries of a row.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of entries, by their numbers.
    pub fn column_of(&self) -> &[usize] {
        &self.entries
    }

    /// The rows of each column: the pattern of the transpose.
    fn transposed(&self) -> Sparsity {
        let mut rows = vec![Vec::new(); self.columns];
        for row in 0..self.rows() {
            for &column in &self.entries[self.row(row)] {
                rows[column].push(row);
            }
        }
        Sparsity::new(self.rows(), rows)
    }
}

/// The colours of a pattern's columns.
///
/// ```
/// use fmu_numerics::coloring::{Coloring, Sparsity};
///
/// // Each cell of a rod depends on its neighbours: three colours, whatever its length.
/// let rows = (0..1000usize).map(|i| i.saturating_sub(1)..(i + 2).min(1000));
/// let coloring = Coloring::new(Sparsity::new(1000, rows));
/// assert_eq!(coloring.colors(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Coloring {
    pattern: Sparsity,
    /// The colour of each column.
    color: Vec<u32>,
    colors: usize,
}

impl Coloring {
    /// Colours the columns: in their own order, which is best for bands, and the fullest first, which is best
    /// for what is scattered; the better one counts.
    pub fn new(pattern: Sparsity) -> Coloring {
        let transposed = pattern.transposed();
        let natural: Vec<usize> = (0..pattern.columns()).collect();
        let mut fullest = natural.clone();
        fullest.sort_by_key(|&column| std::cmp::Reverse(transposed.row(column).len()));
        let in_order = greedy(&pattern, &transposed, &natural);
        let by_size = greedy(&pattern, &transposed, &fullest);
        let (color, colors) = if by_size.1 < in_order.1 { by_size } else { in_order };
        Coloring {
            pattern,
            color,
            colors,
        }
    }

    /// How many colours there are.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// How many evaluations with so many lanes a Jacobian takes.
    pub fn passes(&self, lanes: usize) -> usize {
        self.colors.div_ceil(lanes)
    }

    /// The pattern.
    pub fn pattern(&self) -> &Sparsity {
        &self.pattern
    }

    /// The colour of each column.
    pub fn color_of(&self) -> &[u32] {
        &self.color
    }
}

/// Gives each column in turn the smallest colour that no column with a common row has.
fn greedy(pattern: &Sparsity, transposed: &Sparsity, order: &[usize]) -> (Vec<u32>, usize) {
    let mut color = vec![u32::MAX; pattern.columns()];
    // The column that a colour was last forbidden for.
    let mut forbidden: Vec<usize> = Vec::new();
    for &column in order {
        for &row in &transposed.entries[transposed.row(column)] {
            for &other in &pattern.entries[pattern.row(row)] {
                if let Some(mark) = forbidden.get_mut(color[other] as usize) {
                    *mark = column;
                }
            }
        }
        let free = forbidden
            .iter()
            .position(|&mark| mark != column)
            .unwrap_or(forbidden.len());
        if free == forbidden.len() {
            forbidden.push(usize::MAX);
        }
        color[column] = free as u32;
    }
    (color, forbidden.len())
}
