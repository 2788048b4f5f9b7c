//! The history as a Nordsieck array (Andersson 2016, equation 7.5): `z_j = h^j x^(j) / j!`, the coefficients of the polynomial
//! `x(t + s h) = sum z_j s^j` that approximates the solution around `t`.

use super::MAX_ORDER;
use std::ops::Range;

/// So many states at once fit into the fastest memory.
const BLOCK: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Nordsieck {
    n: usize,
    z: Box<[f64]>,
}

impl Nordsieck {
    pub fn new(n: usize) -> Nordsieck {
        Nordsieck {
            n,
            z: vec![0.0; (MAX_ORDER + 1) * n].into(),
        }
    }

    /// All of it, one row after the other.
    pub fn all(&self) -> &[f64] {
        &self.z
    }

    pub fn all_mut(&mut self) -> &mut [f64] {
        &mut self.z
    }

    /// `z_j`
    pub fn row(&self, j: usize) -> &[f64] {
        &self.z[j * self.n..][..self.n]
    }

    pub fn row_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.z[j * self.n..][..self.n]
    }

    /// `z_{j-1}` and `z_j`
    pub fn two_rows(&mut self, j: usize) -> (&mut [f64], &mut [f64]) {
        self.z[(j - 1) * self.n..(j + 1) * self.n].split_at_mut(self.n)
    }

    /// For a step size `eta` times as large.
    pub fn rescale(&mut self, q: usize, eta: f64) {
        let mut factor = 1.0;
        for j in 1..=q {
            factor *= eta;
            for z in self.row_mut(j) {
                *z *= factor;
            }
        }
    }

    /// Becomes the prediction that follows from `z`, the same polynomial around `t + h`, but for value and derivative
    /// only: nothing else is asked of it before it is corrected.
    pub fn predict(&mut self, q: usize, z: &Nordsieck) {
        let (values, derivatives) = self.two_rows(1);
        for start in (0..z.n).step_by(BLOCK) {
            let end = z.n.min(start + BLOCK);
            let (values, derivatives) = (&mut values[start..end], &mut derivatives[start..end]);
            // In the order of `shift`, to the bit.
            values.copy_from_slice(&z.row(q)[start..end]);
            derivatives.copy_from_slice(&z.row(q)[start..end]);
            for j in (1..q).rev() {
                for ((value, derivative), z) in values
                    .iter_mut()
                    .zip(&mut *derivatives)
                    .zip(&z.row(j)[start..end])
                {
                    *value += z;
                    *derivative += *value;
                }
            }
            for (value, z) in values.iter_mut().zip(&z.row(0)[start..end]) {
                *value += z;
            }
        }
    }

    /// Becomes the prediction that follows from itself, plus `l_j * delta` in each `z_j`.
    pub fn advance(&mut self, q: usize, l: &[f64], delta: &[f64]) {
        for start in (0..self.n).step_by(BLOCK) {
            let block = start..self.n.min(start + BLOCK);
            self.shift_block(q, 1.0, block.clone());
            for (j, l) in l.iter().enumerate() {
                for (z, delta) in self.row_mut(j)[block.clone()]
                    .iter_mut()
                    .zip(&delta[block.clone()])
                {
                    *z += l * delta;
                }
            }
        }
    }

    /// The same polynomial around `t + s h`.
    pub fn shift(&mut self, q: usize, s: f64) {
        for start in (0..self.n).step_by(BLOCK) {
            self.shift_block(q, s, start..self.n.min(start + BLOCK));
        }
    }

    /// Some states of it, few enough that all their rows are at hand.
    fn shift_block(&mut self, q: usize, s: f64, block: Range<usize>) {
        for k in 0..q {
            for j in (k..q).rev() {
                let (lower, upper) = self.two_rows(j + 1);
                for (a, b) in lower[block.clone()].iter_mut().zip(&upper[block.clone()]) {
                    *a += s * *b;
                }
            }
        }
    }

    /// The value of the polynomial at `t + s h`.
    pub fn evaluate(&self, q: usize, s: f64, x: &mut [f64]) {
        x.copy_from_slice(self.row(q));
        for j in (0..q).rev() {
            for (x, z) in x.iter_mut().zip(self.row(j)) {
                *x = *x * s + z;
            }
        }
    }

    /// Adds `factor * row * l_j` to each `z_j`.
    pub fn add(&mut self, l: &[f64], factor: f64, row: &[f64]) {
        for (j, l) in l.iter().enumerate() {
            for (z, row) in self.z[j * self.n..][..self.n].iter_mut().zip(row) {
                *z += factor * l * row;
            }
        }
    }
}
