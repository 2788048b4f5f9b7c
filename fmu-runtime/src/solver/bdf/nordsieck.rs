//! The history as a Nordsieck array (Andersson 2016, equation 7.5): `z_j = h^j x^(j) / j!`, the coefficients of the polynomial
//! `x(t + s h) = sum z_j s^j` that approximates the solution around `t`.

use super::MAX_ORDER;

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

    /// Becomes the prediction that follows from `z`: the same polynomial around `t + h`.
    pub fn predict(&mut self, q: usize, z: &Nordsieck) {
        let rows = (q + 1) * self.n;
        self.z[..rows].copy_from_slice(&z.z[..rows]);
        self.shift(q, 1.0);
    }

    /// The same polynomial around `t + s h`.
    pub fn shift(&mut self, q: usize, s: f64) {
        // Block by block, so that all rows of a block are at hand.
        for start in (0..self.n).step_by(BLOCK) {
            let end = self.n.min(start + BLOCK);
            for k in 0..q {
                for j in (k..q).rev() {
                    let (lower, upper) = self.two_rows(j + 1);
                    for (a, b) in lower[start..end].iter_mut().zip(&upper[start..end]) {
                        *a += s * *b;
                    }
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
