//! Jacobians of few passes: columns that share no row are followed in one direction.
//!
//! Curtis, Powell and Reid, *On the estimation of sparse Jacobian matrices* (1974): columns that have no row in
//! common get the same colour, and one directional derivative along all columns of a colour holds all their
//! entries. With dual numbers of several lanes, several colours take one evaluation of the model.

use std::ops::Range;

use crate::pattern::Exploration;
use crate::scalar::Dual;

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

    /// The pattern of some unknowns by some knowns of an exploration.
    pub fn of(found: &Exploration, unknowns: Range<usize>, knowns: Range<usize>) -> Sparsity {
        let rows = found.unknowns[unknowns].iter().map(|unknown| {
            let inside = unknown
                .on
                .iter()
                .map(|entry| entry.0)
                .filter(|known| knowns.contains(known));
            inside.map(|known| known - knowns.start)
        });
        Sparsity::new(knowns.len(), rows)
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

/// A model as its Jacobian needs it: duals with lanes to be seeded, and to be read.
pub trait Directional<const LANES: usize> {
    /// What can go wrong in the model.
    type Error;

    /// Sets all lanes of all knowns to 0.
    fn clear(&mut self);
    /// Sets one lane of a known to 1.
    fn seed(&mut self, column: usize, lane: usize);
    /// Seeds all columns by their colours: colour `first` in lane 0, the next in lane 1, and so on; columns of other
    /// colours not at all.
    fn seed_colors(&mut self, color: &[u32], first: u32) {
        self.clear();
        for (column, color) in color.iter().enumerate() {
            let lane = color.wrapping_sub(first) as usize;
            if lane < LANES {
                self.seed(column, lane);
            }
        }
    }
    /// Evaluates the unknowns.
    fn evaluate(&mut self) -> Result<(), Self::Error>;
    /// The unknowns, one a row.
    fn unknowns(&self) -> &[Dual<LANES>];
}

/// The colours of a pattern's columns.
///
/// ```
/// use fmu_runtime::coloring::{Coloring, Sparsity};
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
    /// The colour of each entry's column.
    entry_color: Vec<u32>,
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
        let entry_color = pattern.entries.iter().map(|&column| color[column]).collect();
        Coloring {
            pattern,
            color,
            colors,
            entry_color,
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

    /// Evaluates the Jacobian: one value an entry of the pattern, row by row.
    ///
    /// # Panics
    /// Where `values` has another length than the pattern has entries.
    pub fn jacobian<const LANES: usize, D: Directional<LANES>>(
        &self,
        model: &mut D,
        values: &mut [f64],
    ) -> Result<(), D::Error> {
        assert_eq!(values.len(), self.pattern.len(), "one value an entry");
        for pass in 0..self.passes(LANES) {
            let first = (pass * LANES) as u32;
            model.seed_colors(&self.color, first);
            model.evaluate()?;
            self.scatter(first, model.unknowns(), values);
        }
        Ok(())
    }

    /// Puts the lanes of the unknowns where their entries are.
    fn scatter<const LANES: usize>(&self, first: u32, unknowns: &[Dual<LANES>], values: &mut [f64]) {
        let mut entries = values.iter_mut().zip(&self.entry_color);
        for (row, unknown) in self.pattern.starts.windows(2).zip(unknowns) {
            for (value, color) in entries.by_ref().take(row[1] - row[0]) {
                if let Some(derivative) = unknown.lanes.get(color.wrapping_sub(first) as usize) {
                    *value = *derivative;
                }
            }
        }
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
