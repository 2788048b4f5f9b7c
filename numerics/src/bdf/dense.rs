//! LU factorization of a full matrix with partial pivoting, column by column.

/// `P M = L U`, the factors in one square.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    n: usize,
    /// Column by column; below the diagonal the factors of the elimination, on it the reciprocals of the pivots.
    lu: Box<[f64]>,
    /// The row that each row was exchanged with.
    exchanged: Box<[usize]>,
}

impl Dense {
    pub fn new(n: usize) -> Dense {
        Dense {
            n,
            lu: vec![0.0; n * n].into(),
            exchanged: vec![0; n].into(),
        }
    }

    /// Factorizes `I - gamma J`, where the Jacobian is full; false if it is singular or not finite.
    pub fn factorize(&mut self, gamma: f64, jacobian: &[f64]) -> bool {
        let n = self.n;
        for (m, j) in self.lu.iter_mut().zip(jacobian) {
            *m = -gamma * j;
        }
        for diagonal in self.lu.iter_mut().step_by(n + 1) {
            *diagonal += 1.0;
        }
        for k in 0..n {
            // What the columns before have to say of this one.
            let (before, column) = self.lu.split_at_mut(k * n);
            let column = &mut column[..n];
            for (j, &row) in self.exchanged[..k].iter().enumerate() {
                column.swap(j, row);
            }
            for (j, eliminated) in before.chunks_exact(n).enumerate() {
                let factor = column[j];
                for (m, l) in column[j + 1..].iter_mut().zip(&eliminated[j + 1..]) {
                    *m -= factor * l;
                }
            }
            let (mut row, mut largest) = (k, 0.0);
            for (i, m) in column.iter().enumerate().skip(k) {
                if m.abs() > largest {
                    (row, largest) = (i, m.abs());
                }
            }
            let pivot = 1.0 / column[row];
            if largest == 0.0 || !pivot.is_finite() || !largest.is_finite() {
                return false;
            }
            self.exchanged[k] = row;
            column.swap(k, row);
            column[k] = pivot;
            column[k + 1..].iter_mut().for_each(|m| *m *= pivot);
            for earlier in before.chunks_exact_mut(n) {
                earlier.swap(k, row);
            }
        }
        true
    }

    /// Solves `M x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let columns = self.lu.chunks_exact(self.n);
        for (k, &row) in self.exchanged.iter().enumerate() {
            b.swap(k, row);
        }
        for (k, column) in columns.clone().enumerate() {
            let value = b[k];
            for (b, l) in b[k + 1..].iter_mut().zip(&column[k + 1..]) {
                *b -= value * l;
            }
        }
        for (k, column) in columns.enumerate().rev() {
            let value = b[k] * column[k];
            b[k] = value;
            for (b, u) in b[..k].iter_mut().zip(&column[..k]) {
                *b -= value * u;
            }
        }
    }
}
