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

/// The row to eliminate the `k`-th unknown with: that of the largest element, or for expressions, which have no
/// size, that of the fewest elements, so that no element is filled in that needs not be.
fn choose_pivot<S: Scalar>(a: &[S], k: usize, n: usize) -> usize {
    let weight = |row: usize| {
        let size = a[row + k * n].pivot_weight();
        if S::SYMBOLIC && size != 0.0 {
            let elements = (k..n)
                .filter(|column| a[row + column * n].pivot_weight() != 0.0)
                .count();
            1.0 / elements as f64
        } else {
            size
        }
    };
    (k + 1..n).fold(k, |best, row| if weight(row) > weight(best) { row } else { best })
}

/// Solves in place, both sides stored by columns, the right one of any number; false if `a` is singular.
pub(crate) fn eliminate<S: Scalar>(a: &mut [S], b: &mut [S], n: usize) -> bool {
    for k in 0..n {
        let pivot = choose_pivot(a, k, n);
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
