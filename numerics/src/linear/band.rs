//! LU factorization of a band matrix with partial pivoting, in place. Jacobians of models that are a line of cells are band
//! matrices: no ordering of columns reduces their fill-in, and neighbouring entries are adjacent in memory.

use super::flushed;
use crate::Pattern;

/// `P M = L U`, the factors in one band.
#[derive(Clone, Debug)]
pub(super) struct Band {
    n: usize,
    /// Entries below the diagonal; those above it are as many, and the exchange of rows doubles them.
    width: usize,
    /// Room for the elimination. Column by column, `3 * width + 1` each: what exchanges may fill, above, on, and below
    /// the diagonal.
    room: Box<[f64]>,
    /// The factors of the elimination, `width` a column.
    lower: Box<[f64]>,
    /// Reciprocals of the diagonal of `U`.
    pivots: Box<[f64]>,
    /// `U` above its diagonal, `above` a column.
    upper: Vec<f64>,
    /// How far below its place the row was that each row was exchanged with.
    exchanged: Box<[usize]>,
    /// Entries of `U` above the diagonal.
    above: usize,
    /// Where the entries of the Jacobian go.
    places: Box<[usize]>,
}

/// The diagonal is preferred as pivot unless it is smaller than this part of the largest candidate.
const PREFERENCE: f64 = 0.1;

impl Band {
    /// For a pattern all of whose entries are at most `width` from the diagonal.
    pub fn new(pattern: &Pattern, width: usize) -> Band {
        let n = pattern.columns();
        Band {
            n,
            width,
            room: vec![0.0; n * (3 * width + 1)].into(),
            lower: vec![0.0; n * width].into(),
            pivots: vec![0.0; n].into(),
            upper: Vec::with_capacity(2 * n * width),
            exchanged: vec![0; n].into(),
            above: width,
            places: pattern
                .iter()
                .map(|(i, j)| j * (3 * width + 1) + 2 * width + i - j)
                .collect(),
        }
    }

    /// Factorizes `I - gamma J`; false if it is singular or not finite.
    pub fn factorize(&mut self, gamma: f64, jacobian: &[f64]) -> bool {
        let (n, width) = (self.n, self.width);
        let (size, diagonal) = (3 * width + 1, 2 * width);
        self.room.fill(0.0);
        for m in self.room[diagonal..].iter_mut().step_by(size) {
            *m = 1.0;
        }
        for (&place, j) in self.places.iter().zip(jacobian) {
            self.room[place] -= gamma * j;
        }
        self.above = width;
        for k in 0..n {
            let below = width.min(n - 1 - k);
            let (column, after) = self.room[k * size..].split_at_mut(size);
            let column = &mut column[diagonal..=diagonal + below];
            let mut row = 0;
            for (i, m) in column.iter().enumerate() {
                if m.abs() > column[row].abs() {
                    row = i;
                }
            }
            if column[0].abs() >= PREFERENCE * column[row].abs() {
                row = 0;
            }
            if row > 0 {
                self.above = diagonal;
            }
            self.exchanged[k] = row;
            column.swap(0, row);
            let pivot = 1.0 / column[0];
            self.pivots[k] = pivot;
            let mut sound = pivot.is_finite() && pivot != 0.0;
            let factors = &mut self.lower[k * width..][..below];
            for (factor, m) in factors.iter_mut().zip(&column[1..]) {
                *factor = m * pivot;
                sound &= factor.is_finite();
            }
            if !sound {
                return false;
            }
            for (j, other) in after.chunks_exact_mut(size).take(self.above).enumerate() {
                let other = &mut other[diagonal - 1 - j..];
                other.swap(0, row);
                let (first, rest) = other.split_at_mut(1);
                for (m, factor) in rest.iter_mut().zip(&*factors) {
                    *m -= factor * first[0];
                }
            }
        }
        self.upper.clear();
        for column in self.room.chunks_exact(size) {
            self.upper
                .extend_from_slice(&column[diagonal - self.above..diagonal]);
        }
        true
    }

    /// Solves `M x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let (width, above) = (self.width, self.above);
        for (k, &row) in self.exchanged.iter().enumerate() {
            b.swap(k, k + row);
            let value = flushed(b[k]);
            b[k] = value;
            let below = &mut b[k + 1..];
            for (b, factor) in below.iter_mut().zip(&self.lower[k * width..][..width]) {
                *b -= factor * value;
            }
        }
        for (k, pivot) in self.pivots.iter().enumerate().rev() {
            let value = flushed(b[k] * pivot);
            b[k] = value;
            let length = above.min(k);
            let column = &self.upper[(k + 1) * above - length..][..length];
            for (b, u) in b[k - length..k].iter_mut().zip(column) {
                *b -= u * value;
            }
        }
    }
}
