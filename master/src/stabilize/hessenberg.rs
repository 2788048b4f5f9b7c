//! Systems `(I - s A) z = b` with one matrix and many numbers `s`: the matrix is reduced once.

use nalgebra::{DMatrix, DVector};

/// A matrix as `Q H Q'`, where `H` has one diagonal below the main one.
#[derive(Clone, Debug)]
pub struct Hessenberg {
    /// `Q`, by which vectors go into the coordinates of `H`.
    pub q: DMatrix<f64>,
    h: DMatrix<f64>,
    work: DMatrix<f64>,
}

impl Hessenberg {
    /// Reduces a matrix.
    ///
    /// ```
    /// use fmu_master::stabilize::Hessenberg;
    /// use nalgebra::{DMatrix, DVector};
    ///
    /// let a = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0]);
    /// let mut reduced = Hessenberg::new(a.clone());
    /// let b = DVector::from_vec(vec![1.0, -1.0, 2.0]);
    /// let mut z = reduced.q.transpose() * &b;
    /// assert!(reduced.solve(0.3, &mut z));
    /// let z = &reduced.q * z;
    /// assert!((&z - 0.3 * &a * &z - b).norm() < 1e-12);
    /// ```
    pub fn new(matrix: DMatrix<f64>) -> Hessenberg {
        let n = matrix.nrows();
        let (q, h) = match n {
            0 | 1 => (DMatrix::identity(n, n), matrix),
            _ => matrix.hessenberg().unpack(),
        };
        Hessenberg {
            q,
            work: h.clone(),
            h,
        }
    }

    /// Solves `(I - s H) z = b` in place; false, if it has no solution.
    pub fn solve(&mut self, s: f64, b: &mut DVector<f64>) -> bool {
        let n = self.h.nrows();
        let m = &mut self.work;
        m.copy_from(&self.h);
        *m *= -s;
        for k in 0..n {
            m[(k, k)] += 1.0;
        }
        for k in 0..n {
            if k + 1 < n {
                if m[(k + 1, k)].abs() > m[(k, k)].abs() {
                    m.swap_rows(k, k + 1);
                    b.swap_rows(k, k + 1);
                }
                if m[(k, k)] == 0.0 {
                    return false;
                }
                let factor = m[(k + 1, k)] / m[(k, k)];
                for column in k + 1..n {
                    m[(k + 1, column)] -= factor * m[(k, column)];
                }
                b[k + 1] -= factor * b[k];
            } else if m[(k, k)] == 0.0 {
                return false;
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|column| m[(k, column)] * b[column]).sum();
            b[k] = (b[k] - known) / m[(k, k)];
        }
        b.iter().all(|value| value.is_finite())
    }
}
