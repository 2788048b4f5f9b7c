//! Which equation determines which unknown, and which of them belong together.

use super::strongly_connected;

/// A matching of equations and unknowns: no equation and no unknown occurs twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matching {
    /// For each equation the unknown that it determines.
    pub unknown_of: Vec<Option<usize>>,
    /// For each unknown the equation that determines it.
    pub equation_of: Vec<Option<usize>>,
}

impl Matching {
    /// Whether every equation and every unknown is matched.
    pub fn is_perfect(&self) -> bool {
        self.unknown_of
            .iter()
            .chain(&self.equation_of)
            .all(Option::is_some)
    }

    /// The equations that determine no unknown.
    pub fn unmatched_equations(&self) -> Vec<usize> {
        (0..self.unknown_of.len())
            .filter(|&equation| self.unknown_of[equation].is_none())
            .collect()
    }

    /// The unknowns that no equation determines.
    pub fn unmatched_unknowns(&self) -> Vec<usize> {
        (0..self.equation_of.len())
            .filter(|&unknown| self.equation_of[unknown].is_none())
            .collect()
    }
}

/// Finds a matching with as many pairs as possible, by augmenting paths. `rows[e]` are the unknowns in equation `e`. An
/// equation that contains the unknown of its own number keeps it where possible.
///
/// Without recursion: a chain of 100 000 equations must not overflow a stack.
///
/// ```
/// use fmu_numerics::maximum_matching;
///
/// // The first equation has both unknowns, the second only the first one.
/// let matching = maximum_matching(&[vec![0, 1], vec![0]], 2);
/// assert_eq!(matching.unknown_of, [Some(1), Some(0)]);
/// // Two equations for one unknown, and none for the other.
/// let singular = maximum_matching(&[vec![0], vec![0]], 2);
/// assert_eq!(singular.unmatched_equations(), [1]);
/// assert_eq!(singular.unmatched_unknowns(), [1]);
/// ```
pub fn maximum_matching(rows: &[Vec<usize>], unknowns: usize) -> Matching {
    let mut matching = Matching {
        unknown_of: vec![None; rows.len()],
        equation_of: vec![None; unknowns],
    };
    for (equation, row) in rows.iter().enumerate() {
        if row.contains(&equation) {
            matching.unknown_of[equation] = Some(equation);
            matching.equation_of[equation] = Some(equation);
        }
    }
    // The search that has visited an unknown last.
    let mut visited = vec![usize::MAX; unknowns];
    // The equations on the way, each with the number of its unknowns that were tried.
    let mut way: Vec<(usize, usize)> = Vec::new();
    for free in 0..rows.len() {
        if matching.unknown_of[free].is_some() {
            continue;
        }
        way.clear();
        way.push((free, 0));
        while let Some(&mut (equation, ref mut tried)) = way.last_mut() {
            let Some(&unknown) = rows[equation].get(*tried) else {
                way.pop();
                continue;
            };
            *tried += 1;
            if visited[unknown] == free {
                continue;
            }
            visited[unknown] = free;
            if let Some(other) = matching.equation_of[unknown] {
                way.push((other, 0));
                continue;
            }
            // Every equation on the way takes the unknown that it tried last.
            for &(equation, tried) in &way {
                let unknown = rows[equation][tried - 1];
                matching.unknown_of[equation] = Some(unknown);
                matching.equation_of[unknown] = Some(equation);
            }
            break;
        }
    }
    matching
}

/// Equations that must be solved together for as many unknowns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The equations, in ascending order.
    pub equations: Vec<usize>,
    /// The unknowns, in ascending order.
    pub unknowns: Vec<usize>,
}

/// The irreducible blocks of a system, such that each needs only the unknowns of those before it. `rows[e]` are the
/// unknowns in equation `e`, and there are as many unknowns as equations. An error is a matching that leaves something
/// unmatched: the system is structurally singular.
///
/// ```
/// use fmu_numerics::blocks;
///
/// // x0 alone, then x1 and x2 together.
/// let found = blocks(&[vec![0, 1, 2], vec![0], vec![1, 2]]).unwrap();
/// assert_eq!((found[0].equations.clone(), found[0].unknowns.clone()), (vec![1], vec![0]));
/// assert_eq!((found[1].equations.clone(), found[1].unknowns.clone()), (vec![0, 2], vec![1, 2]));
/// ```
pub fn blocks(rows: &[Vec<usize>]) -> Result<Vec<Block>, Matching> {
    let matching = maximum_matching(rows, rows.len());
    if !matching.is_perfect() {
        return Err(matching);
    }
    let needs = |row: &Vec<usize>| -> Vec<usize> {
        row.iter()
            .filter_map(|&unknown| matching.equation_of[unknown])
            .collect()
    };
    let edges: Vec<Vec<usize>> = rows.iter().map(needs).collect();
    let block = |equations: Vec<usize>| {
        let of = |equation: &usize| matching.unknown_of[*equation];
        let mut unknowns: Vec<usize> = equations.iter().filter_map(of).collect();
        unknowns.sort_unstable();
        Block { equations, unknowns }
    };
    Ok(strongly_connected(&edges).into_iter().map(block).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_that_must_give_up_every_first_choice_is_matched_without_recursion() {
        // Equation k has the unknowns k and k + 1; one more has the first unknown only.
        let n = 100_000;
        let mut rows: Vec<Vec<usize>> = (0..n - 1).map(|k| vec![k, k + 1]).collect();
        rows.push(vec![0]);
        let matching = maximum_matching(&rows, n);
        assert!(matching.is_perfect());
        assert_eq!(matching.unknown_of[n - 1], Some(0));
        assert_eq!(matching.unknown_of[0], Some(1));
        assert_eq!(blocks(&rows).map(|blocks| blocks.len()), Ok(n));
    }

    #[test]
    fn a_matching_is_as_large_as_any_by_exhaustive_search() {
        // All systems of three equations with three unknowns.
        for bits in 0..512_usize {
            let rows: Vec<Vec<usize>> = (0..3)
                .map(|e| (0..3).filter(|u| bits >> (3 * e + u) & 1 == 1).collect())
                .collect();
            let found = maximum_matching(&rows, 3).unknown_of.iter().flatten().count();
            let mut most = 0;
            for choice in 0..64_usize {
                // Each equation takes one of three unknowns, or none.
                let taken: Vec<usize> = (0..3).map(|e| choice >> (2 * e) & 3).collect();
                let legal = (0..3).all(|e| {
                    taken[e] == 3
                        || rows[e].contains(&taken[e]) && !(0..e).any(|other| taken[other] == taken[e])
                });
                if legal {
                    most = most.max(taken.iter().filter(|&&unknown| unknown != 3).count());
                }
            }
            assert_eq!(found, most, "{rows:?}");
        }
    }
}
