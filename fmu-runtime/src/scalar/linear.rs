//! Small systems of linear equations over any scalar.

use super::Scalar;

/// Solves `a x = b` for a small dense matrix given by rows; `None` where it is singular.
///
/// Gaussian elimination whose pivots are chosen by value, so the choice is part of no derivative and of
/// no dependency.
///
/// ```
/// use fmu_runtime::scalar::{Dual, solve};
///
/// let x = solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 4.0]).unwrap();
/// assert_eq!(x, [1.0, 1.0]);
/// let k = Dual::<1>::variable(2.0, 0);
/// let [x] = solve([[k]], [Dual::plain(6.0)]).unwrap();
/// assert_eq!((x.value, x.lanes), (3.0, [-1.5]));
/// ```
pub fn solve<S: Scalar, const N: usize>(a: [[S; N]; N], b: [S; N]) -> Option<[S; N]> {
    let mut by_columns = [[S::default(); N]; N];
    for (i, row) in a.iter().enumerate() {
        for (j, element) in row.iter().enumerate() {
            by_columns[j][i] = *element;
        }
    }
    let mut x = b;
    eliminate(by_columns.as_flattened_mut(), &mut x, N).then_some(x)
}

/// Solves in place, both sides stored by columns, the right one of any number; false if `a` is singular.
pub(crate) fn eliminate<S: Scalar>(a: &mut [S], b: &mut [S], n: usize) -> bool {
    for k in 0..n {
        let weight = |row: usize, a: &[S]| a[row + k * n].pivot_weight();
        let pivot = (k + 1..n).fold(k, |best, row| {
            if weight(row, a) > weight(best, a) {
                row
            } else {
                best
            }
        });
        if pivot != k {
            a.chunks_exact_mut(n)
                .chain(b.chunks_exact_mut(n))
                .for_each(|column| column.swap(k, pivot));
        }
        let diagonal = a[k + k * n];
        if diagonal == 0.0 {
            return false;
        }
        for row in k + 1..n {
            // Nothing to eliminate: saves work, and keeps what does not depend from depending.
            if a[row + k * n].pivot_weight() == 0.0 {
                continue;
            }
            let factor = a[row + k * n] / diagonal;
            for column in a.chunks_exact_mut(n).skip(k + 1).chain(b.chunks_exact_mut(n)) {
                let above = column[k];
                column[row] -= factor * above;
            }
        }
    }
    for column in b.chunks_exact_mut(n) {
        for k in (0..n).rev() {
            let x = column[k] / a[k + k * n];
            column[k] = x;
            for row in 0..k {
                let factor = a[row + k * n];
                column[row] -= factor * x;
            }
        }
    }
    true
}
