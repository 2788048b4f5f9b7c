//! Newton's matrix where the Jacobian is full.

use crate::Lu;

/// `I - gamma J`, factorized.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    n: usize,
    lu: Lu,
}

impl Dense {
    pub fn new(n: usize) -> Dense {
        Dense { n, lu: Lu::new(n) }
    }

    /// Factorizes `I - gamma J`; false if it is singular or not finite.
    pub fn factorize(&mut self, gamma: f64, jacobian: &[f64]) -> bool {
        let matrix = self.lu.matrix_mut();
        for (m, j) in matrix.iter_mut().zip(jacobian) {
            *m = -gamma * j;
        }
        for diagonal in matrix.iter_mut().step_by(self.n + 1) {
            *diagonal += 1.0;
        }
        self.lu.factorize()
    }

    /// Solves `M x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        self.lu.solve(b);
    }
}
