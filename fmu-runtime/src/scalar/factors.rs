//! Inverse, LU and Cholesky factors of small matrices over any scalar, under the names that nalgebra has for real numbers.
//! Matrices are arrays of rows.

use super::linear::eliminate;
use super::{Scalar, solve};

/// The inverse of a small matrix; `None` where it is singular.
///
/// ```
/// use fmu_runtime::scalar::try_inverse;
///
/// assert_eq!(try_inverse([[2.0, 0.0], [0.0, 4.0]]), Some([[0.5, 0.0], [0.0, 0.25]]));
/// assert_eq!(try_inverse([[1.0, 2.0], [2.0, 4.0]]), None);
/// ```
pub fn try_inverse<S: Scalar, const N: usize>(a: [[S; N]; N]) -> Option<[[S; N]; N]> {
    // The columns of the transposed matrix are the rows; so are those of its inverse.
    let mut columns = a;
    let mut inverse = [[S::constant(0.0); N]; N];
    for (n, column) in inverse.iter_mut().enumerate() {
        column[n] = S::constant(1.0);
    }
    eliminate(columns.as_flattened_mut(), inverse.as_flattened_mut(), N).then_some(inverse)
}

/// A matrix that is solved for several right sides: Gaussian elimination with pivots chosen by value.
///
/// ```
/// use fmu_runtime::scalar::Lu;
///
/// let lu = Lu::new([[0.0, 2.0], [1.0, 3.0]]);
/// assert_eq!(lu.solve([4.0, 7.0]), Some([1.0, 2.0]));
/// assert_eq!(lu.determinant(), -2.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lu<S, const N: usize> {
    a: [[S; N]; N],
    determinant: S,
}

impl<S: Scalar, const N: usize> Lu<S, N> {
    /// Of a matrix by rows.
    pub fn new(a: [[S; N]; N]) -> Lu<S, N> {
        Lu {
            a,
            determinant: determinant(a),
        }
    }

    /// Solves `a x = b`; `None` where `a` is singular.
    pub fn solve(&self, b: [S; N]) -> Option<[S; N]> {
        solve(self.a, b)
    }

    /// The inverse; `None` where `a` is singular.
    pub fn try_inverse(&self) -> Option<[[S; N]; N]> {
        try_inverse(self.a)
    }

    /// The determinant.
    pub fn determinant(&self) -> S {
        self.determinant
    }
}

/// The determinant, by elimination with the largest pivots.
fn determinant<S: Scalar, const N: usize>(mut a: [[S; N]; N]) -> S {
    let mut product = S::constant(1.0);
    for k in 0..N {
        let weight = |row: usize| a[row][k].pivot_weight();
        let pivot = (k + 1..N).fold(k, |best, row| if weight(row) > weight(best) { row } else { best });
        if pivot != k {
            a.swap(k, pivot);
            product = -product;
        }
        let diagonal = a[k][k];
        product *= diagonal;
        if diagonal.pivot_weight() == 0.0 {
            return product;
        }
        let above = a[k];
        for row in &mut a[k + 1..] {
            let factor = row[k] / diagonal;
            for (entry, &above) in row.iter_mut().zip(&above).skip(k + 1) {
                *entry -= factor * above;
            }
        }
    }
    product
}

/// The Cholesky factor of a symmetric, positive definite matrix: `a = l l^T` with a lower triangular `l`.
///
/// ```
/// use fmu_runtime::scalar::Cholesky;
///
/// let cholesky = Cholesky::new([[4.0, 2.0], [2.0, 5.0]]).unwrap();
/// assert_eq!(cholesky.l(), [[2.0, 0.0], [1.0, 2.0]]);
/// assert_eq!(cholesky.solve([8.0, 12.0]), [1.0, 2.0]);
/// assert_eq!(cholesky.determinant(), 16.0);
/// assert!(Cholesky::new([[1.0, 2.0], [2.0, 1.0]]).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cholesky<S, const N: usize> {
    l: [[S; N]; N],
}

impl<S: Scalar, const N: usize> Cholesky<S, N> {
    /// Of a matrix by rows, of which the lower triangle is read; `None` where it is not positive definite.
    pub fn new(a: [[S; N]; N]) -> Option<Cholesky<S, N>> {
        let mut l = [[S::constant(0.0); N]; N];
        for row in 0..N {
            for column in 0..=row {
                let products = (0..column).map(|k| l[row][k] * l[column][k]);
                let rest = products.fold(a[row][column], |rest, product| rest - product);
                if column < row {
                    l[row][column] = rest / l[column][column];
                    continue;
                }
                // Expressions have no sign: where dependencies are searched for, every matrix counts as definite.
                if !S::SYMBOLIC && (rest.value() <= 0.0 || rest.value().is_nan()) {
                    return None;
                }
                l[row][row] = rest.sqrt();
            }
        }
        Some(Cholesky { l })
    }

    /// The lower triangular factor, by rows.
    pub fn l(&self) -> [[S; N]; N] {
        self.l
    }

    /// Solves `a x = b`.
    pub fn solve(&self, b: [S; N]) -> [S; N] {
        let mut x = b;
        for row in 0..N {
            for k in 0..row {
                let known = x[k];
                x[row] -= self.l[row][k] * known;
            }
            x[row] /= self.l[row][row];
        }
        for row in (0..N).rev() {
            for k in row + 1..N {
                let known = x[k];
                x[row] -= self.l[k][row] * known;
            }
            x[row] /= self.l[row][row];
        }
        x
    }

    /// The determinant of `a`.
    pub fn determinant(&self) -> S {
        let diagonal = (0..N).map(|n| self.l[n][n] * self.l[n][n]);
        diagonal.fold(S::constant(1.0), |product, square| product * square)
    }
}
