//! Which columns of a Jacobian are found by one evaluation: those that have no row in common.
//!
//! Curtis, Powell and Reid, *On the estimation of sparse Jacobian matrices* (1974): columns without a common row get
//! the same colour, and one directional derivative along all columns of a colour holds all their entries.

use crate::Pattern;

/// The colour of a column without an entry to be found.
const NONE: u32 = u32::MAX;

/// A pattern with a colour for each of its columns.
///
/// ```
/// use fmu_numerics::{Coloring, Pattern};
///
/// // Each cell of a rod depends on its neighbours: three colours, whatever its length.
/// let rows = (0..1000usize).map(|i| i.saturating_sub(1)..(i + 2).min(1000));
/// let coloring = Coloring::new(Pattern::from_rows(1000, rows));
/// assert_eq!(coloring.colors(), 3);
/// assert_eq!(coloring.groups()[2][..3], [2, 5, 8]);
/// ```
#[derive(Clone, Debug)]
pub struct Coloring {
    pattern: Pattern,
    /// The colour of each column.
    color: Vec<u32>,
    colors: usize,
}

impl Coloring {
    /// Colours that find all entries.
    ///
    /// Columns are coloured in their own order, which is best for bands, and once more with the fullest columns first,
    /// which is best for scattered entries; the result with fewer colours is kept.
    pub fn new(pattern: Pattern) -> Coloring {
        let (color, colors) = colors(&pattern, |_| true);
        Coloring {
            pattern,
            color,
            colors,
        }
    }

    /// Colours that find the entries at the positions that are `wanted`: no other column of the same colour has any
    /// entry in the row of a wanted one. Entries that are not wanted may meet, and columns without a wanted entry
    /// have no colour.
    ///
    /// ```
    /// use fmu_numerics::{Coloring, Pattern};
    ///
    /// // The first column, which is in all rows, is known.
    /// let arrow = Pattern::from_rows(4, (0..4).map(|i| [0, i]));
    /// let coloring = Coloring::of_entries(arrow, |position| position >= 4);
    /// assert_eq!(coloring.groups(), [[1, 2, 3]]);
    /// ```
    pub fn of_entries(pattern: Pattern, wanted: impl Fn(usize) -> bool) -> Coloring {
        let (color, colors) = colors(&pattern, wanted);
        Coloring {
            pattern,
            color,
            colors,
        }
    }

    /// The number of colours.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// The number of evaluations for a Jacobian if each follows so many colours (`lanes`) at once.
    pub fn passes(&self, lanes: usize) -> usize {
        self.colors.div_ceil(lanes)
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The colour of each column, counted from 0; `u32::MAX` for a column without an entry to be found.
    pub fn color_of(&self) -> &[u32] {
        &self.color
    }

    /// The columns of each colour, in ascending order.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.colors];
        for (column, &color) in self.color.iter().enumerate() {
            if color != NONE {
                groups[color as usize].push(column);
            }
        }
        groups
    }
}

/// The colours of all columns, and how many there are: the better of two orders.
fn colors(pattern: &Pattern, wanted: impl Fn(usize) -> bool) -> (Vec<u32>, usize) {
    let mut by_row = vec![Vec::new(); pattern.rows()];
    for (position, (row, column)) in pattern.iter().enumerate() {
        by_row[row].push((column, wanted(position)));
    }
    let mut order: Vec<usize> = (0..pattern.columns())
        .filter(|column| pattern.range(*column).any(&wanted))
        .collect();
    let in_order = greedy(pattern, &by_row, &wanted, &order);
    order.sort_by_key(|column| std::cmp::Reverse(pattern.column(*column).len()));
    let fullest_first = greedy(pattern, &by_row, &wanted, &order);
    match fullest_first.1 < in_order.1 {
        true => fullest_first,
        false => in_order,
    }
}

/// Gives each column in turn the smallest colour that no column has with which it meets in a row.
fn greedy(
    pattern: &Pattern,
    by_row: &[Vec<(usize, bool)>],
    wanted: impl Fn(usize) -> bool,
    order: &[usize],
) -> (Vec<u32>, usize) {
    let mut color = vec![NONE; pattern.columns()];
    // The last column for which each colour was forbidden.
    let mut forbidden: Vec<usize> = Vec::new();
    for &column in order {
        for position in pattern.range(column) {
            let is_wanted = wanted(position);
            for &(other, other_is_wanted) in &by_row[pattern.row(position)] {
                if (is_wanted || other_is_wanted)
                    && let Some(mark) = forbidden.get_mut(color[other] as usize)
                {
                    *mark = column;
                }
            }
        }
        let free = forbidden.iter().position(|&mark| mark != column);
        let free = free.unwrap_or_else(|| {
            forbidden.push(usize::MAX);
            forbidden.len() - 1
        });
        color[column] = free as u32;
    }
    (color, forbidden.len())
}

#[cfg(test)]
mod tests {
    use super::Coloring;
    use crate::Pattern;

    fn tridiagonal(n: usize) -> Pattern {
        Pattern::from_rows(n, (0..n).map(|row| row.max(1) - 1..(row + 2).min(n)))
    }

    #[test]
    fn three_colours_find_a_tridiagonal_matrix() {
        let n = 100;
        let coloring = Coloring::new(tridiagonal(n));
        assert_eq!(coloring.colors(), 3);
        for group in coloring.groups() {
            let mut seen = vec![false; n];
            for row in group.iter().flat_map(|column| coloring.pattern().column(*column)) {
                assert!(!std::mem::replace(&mut seen[*row], true));
            }
        }
    }

    #[test]
    fn known_entries_need_no_colour() {
        let pattern = tridiagonal(100);
        let places: Vec<_> = pattern.iter().collect();
        let diagonal = |position: usize| places[position].0 == places[position].1;
        // Neighbours are in each other's rows, columns further apart are not.
        let coloring = Coloring::of_entries(pattern.clone(), diagonal);
        assert_eq!(coloring.colors(), 2);
        for group in coloring.groups() {
            for column in &group {
                let others = group.iter().filter(|other| *other != column);
                let mut rows = others.flat_map(|other| pattern.column(*other));
                assert!(rows.all(|row| row != column));
            }
        }
        let nothing = Coloring::of_entries(pattern, |_| false);
        assert_eq!((nothing.colors(), nothing.groups().len()), (0, 0));
    }

    #[test]
    fn a_full_matrix_needs_one_colour_per_column() {
        assert_eq!(Coloring::new(Pattern::full(3, 5)).colors(), 5);
        assert_eq!(Coloring::new(Pattern::full(0, 5)).colors(), 0);
    }

    /// The order of columns alone needs three colours for a path of four columns whose ends come first; the fullest
    /// first needs two.
    #[test]
    fn the_better_of_two_orders_is_kept() {
        // The path 0 - 2 - 3 - 1, one row per edge; the inner columns have more entries.
        let path = Pattern::from_rows(4, [[0, 2], [2, 3], [3, 1]]);
        assert_eq!(Coloring::new(path).colors(), 2);
        // A band in its own order needs as many colours as it is wide, even where its columns are not equally full.
        let mut entries: Vec<_> = tridiagonal(30).iter().collect();
        entries.extend([(30, 0), (31, 29), (32, 15)]);
        assert_eq!(Coloring::new(Pattern::new(33, 30, entries)).colors(), 3);
    }
}
