//! Where a matrix has entries, column by column, and which columns can be found together.

/// The entries of a sparse matrix without their values: sorted by columns, and by rows within a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    rows: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
}

impl Pattern {
    /// From pairs (row, column) in any order; repeated ones count once.
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

    /// Every entry.
    pub fn full(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            starts: (0..=columns).map(|column| column * rows).collect(),
            indices: (0..columns).flat_map(|_| 0..rows).collect(),
        }
    }

    /// Where each column begins among the entries and, behind the last one, how many there are.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// The rows of a column's entries.
    pub fn column(&self, column: usize) -> &[usize] {
        &self.indices[self.range(column)]
    }

    /// The positions of a column's entries.
    pub fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The row of the entry at a position.
    pub fn row(&self, position: usize) -> usize {
        self.indices[position]
    }

    /// All entries as (row, column), in their order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns()).flat_map(|column| self.column(column).iter().map(move |row| (*row, column)))
    }

    /// Groups of columns of which no two have an entry in one row: one evaluation with all columns of a group seeded
    /// gives them all (Curtis, Powell and Reid 1974). Columns with many entries are placed first.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        self.groups_for(|_| true)
    }

    /// Groups that give the entries at the positions that are wanted: where one is, no other column of the group has
    /// an entry in its row. Entries that are not wanted may meet, and columns without a wanted one are left out.
    pub fn groups_for(&self, wanted: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
        let mut by_row = vec![Vec::new(); self.rows];
        for (position, (row, column)) in self.iter().enumerate() {
            by_row[row].push((column, wanted(position)));
        }
        let mut order: Vec<usize> = (0..self.columns())
            .filter(|column| self.range(*column).any(&wanted))
            .collect();
        order.sort_by_key(|column| std::cmp::Reverse(self.column(*column).len()));
        let mut colour = vec![usize::MAX; self.columns()];
        // Which column forbade a colour last.
        let mut forbidden: Vec<usize> = Vec::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for column in order {
            for position in self.range(column) {
                let is_wanted = wanted(position);
                for (neighbour, other_is_wanted) in &by_row[self.row(position)] {
                    if (is_wanted || *other_is_wanted)
                        && let Some(mark) = forbidden.get_mut(colour[*neighbour])
                    {
                        *mark = column;
                    }
                }
            }
            let free = (0..groups.len()).find(|group| forbidden[*group] != column);
            let group = free.unwrap_or_else(|| {
                groups.push(Vec::new());
                forbidden.push(usize::MAX);
                groups.len() - 1
            });
            colour[column] = group;
            groups[group].push(column);
        }
        for group in &mut groups {
            group.sort_unstable();
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn three_groups_give_a_tridiagonal_matrix() {
        let n = 100;
        let band = (0..n).flat_map(|row| (row.max(1) - 1..(row + 2).min(n)).map(move |column| (row, column)));
        let pattern = Pattern::new(n, n, band);
        assert_eq!(pattern.entries(), 3 * n - 2);
        let groups = pattern.groups();
        assert_eq!(groups.len(), 3);
        for group in groups {
            let mut seen = vec![false; n];
            for row in group.iter().flat_map(|column| pattern.column(*column)) {
                assert!(!std::mem::replace(&mut seen[*row], true));
            }
        }
    }

    #[test]
    fn entries_that_are_known_need_no_group() {
        let n = 100;
        let band = (0..n).flat_map(|row| (row.max(1) - 1..(row + 2).min(n)).map(move |column| (row, column)));
        let pattern = Pattern::new(n, n, band);
        let places: Vec<_> = pattern.iter().collect();
        let diagonal = |position: usize| places[position].0 == places[position].1;
        // Neighbours are in each other's rows, columns further apart are not.
        let groups = pattern.groups_for(diagonal);
        assert_eq!(groups.len(), 2);
        for group in &groups {
            for column in group {
                let others = group.iter().filter(|other| *other != column);
                assert!(
                    others
                        .flat_map(|other| pattern.column(*other))
                        .all(|row| row != column)
                );
            }
        }
        assert!(pattern.groups_for(|_| false).is_empty());
    }

    #[test]
    fn a_full_matrix_needs_a_group_for_each_column() {
        assert_eq!(Pattern::full(3, 5).groups().len(), 5);
        assert_eq!(Pattern::full(0, 5).groups().len(), 0);
    }
}
