//! Linear systems that are too large to factorize at every turn: the method of generalized minimal residuals (Saad and
//! Schultz 1986). Steps of coupled systems depend weakly on their inputs, so that few products are enough.

use super::Sparse;
use super::sparse::dot;

/// The residual that is left, as a part of the right side: matrices that are kept, or made by differences, are hardly
/// better.
const REMAINS: f64 = 1e-4;

/// More products than these would take longer than factors that are kept.
const MOST: usize = 60;

/// The memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Krylov {
    /// Orthonormal directions, one after another.
    basis: Vec<f64>,
    /// The triangle, column by column with `MOST + 1` entries each, the rotations that made it, and the right side.
    triangle: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    right: Vec<f64>,
}

impl Krylov {
    /// Solves for a right side, which becomes the solution; false, with the right side as it was, if that takes too many
    /// products.
    pub fn solve(&mut self, matrix: &Sparse, x: &mut [f64]) -> bool {
        const ROWS: usize = MOST + 1;
        let n = x.len();
        let length = norm(x);
        if length == 0.0 {
            return true;
        }
        self.basis.resize(n * ROWS, 0.0);
        self.triangle.resize(MOST * ROWS, 0.0);
        self.rotations.clear();
        self.right.clear();
        self.right.push(length);
        self.basis[..n]
            .iter_mut()
            .zip(&*x)
            .for_each(|(b, x)| *b = x / length);
        for k in 0..MOST {
            let (known, rest) = self.basis.split_at_mut((k + 1) * n);
            let next = &mut rest[..n];
            matrix.multiply(&known[k * n..], next);
            let column = &mut self.triangle[k * ROWS..(k + 1) * ROWS];
            column.fill(0.0);
            // Twice is enough for directions that are orthogonal to rounding.
            for _ in 0..2 {
                for (direction, entry) in known.chunks_exact(n).zip(&mut *column) {
                    let part = dot(direction, next);
                    next.iter_mut().zip(direction).for_each(|(v, d)| *v -= part * d);
                    *entry += part;
                }
            }
            let left = norm(next);
            for (row, (c, s)) in self.rotations.iter().enumerate() {
                let (one, other) = (column[row], column[row + 1]);
                (column[row], column[row + 1]) = (c * one + s * other, c * other - s * one);
            }
            let diagonal = column[k].hypot(left);
            if !diagonal.is_finite() || diagonal <= f64::EPSILON * length.max(1.0) * f64::EPSILON {
                return false;
            }
            let (c, s) = (column[k] / diagonal, left / diagonal);
            self.rotations.push((c, s));
            column[k] = diagonal;
            let right = self.right[k];
            self.right[k] = c * right;
            self.right.push(-s * right);
            if (s * right).abs() <= REMAINS * length {
                self.combine(k + 1, x);
                return true;
            }
            next.iter_mut().for_each(|v| *v /= left);
        }
        false
    }

    /// The sum of directions that has the smallest residual.
    fn combine(&mut self, count: usize, x: &mut [f64]) {
        const ROWS: usize = MOST + 1;
        let n = x.len();
        for row in (0..count).rev() {
            let known: f64 = (row + 1..count)
                .map(|k| self.triangle[k * ROWS + row] * self.right[k])
                .sum();
            self.right[row] = (self.right[row] - known) / self.triangle[row * ROWS + row];
        }
        x.fill(0.0);
        for (direction, factor) in self.basis.chunks_exact(n).zip(&self.right[..count]) {
            x.iter_mut().zip(direction).for_each(|(x, d)| *x += factor * d);
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lu, Square};

    /// A matrix near the identity with far entries, solved as its factors solve it; and one that no few directions solve:
    /// a shift by one place.
    #[test]
    fn few_products_solve_what_is_near_the_identity() {
        let n = 300;
        let mut near = Sparse::new((0..n).map(|row| {
            let mut columns = vec![row, (7 * row + 3) % n, (11 * row + 5) % n];
            columns.sort_unstable();
            columns.dedup();
            columns
        }));
        for row in 0..n {
            for (column, value) in near.row_mut(row) {
                *value = if row == column {
                    -1.0
                } else {
                    0.3 * ((row * column) as f64).sin()
                };
            }
        }
        let right: Vec<f64> = (0..n).map(|k| (k as f64).cos()).collect();
        let mut exact = right.clone();
        let (mut full, mut factors) = (Square::default(), Lu::default());
        near.write_to(&mut full);
        assert!(factors.factorize(&full));
        factors.solve(&mut exact);
        let mut x = right.clone();
        let mut krylov = Krylov::default();
        assert!(krylov.solve(&near, &mut x));
        for (x, exact) in x.iter().zip(&exact) {
            assert!((x - exact).abs() < 1e-3, "{x} {exact}");
        }
        let mut shift = Sparse::new((0..n).map(|row| vec![(row + 1) % n]));
        for row in 0..n {
            shift[(row, (row + 1) % n)] = 1.0;
        }
        let mut first = vec![0.0; n];
        first[0] = 1.0;
        let before = first.clone();
        assert!(!krylov.solve(&shift, &mut first));
        assert_eq!(first, before);
    }
}
