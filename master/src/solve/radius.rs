//! How much an error grows when a matrix is applied to it again and again.

use nalgebra::DMatrix;

use super::{Square, eigenvalues, spectral_radius_by_products};

/// The spectral radius of a square matrix; infinite if it has entries that are not finite.
pub fn spectral_radius(matrix: &Square) -> f64 {
    let n = matrix.len();
    let entries = DMatrix::from_column_slice(n, n, matrix.entries());
    if entries.iter().any(|entry| !entry.is_finite()) {
        return f64::INFINITY;
    }
    match eigenvalues(&entries) {
        Some(found) => found.iter().map(|value| value.norm()).fold(0.0, f64::max),
        None => spectral_radius_by_products(n, |x, y| matrix.multiply(x, y)),
    }
}

/// The matrix that carries an error of the inputs from step to step, for steps of size 0, where inputs are extrapolated
/// by differences (Andersson 2016, equation 6.40, and the same for order 2): the companion matrix of the weights that
/// each input has.
pub fn companion(ld: &Square, weights: &[&[f64]]) -> Square {
    let n = ld.len();
    let longest = weights.iter().map(|weights| weights.len()).max().unwrap_or(1);
    Square::from_fn(n * longest, |row, column| match row < n {
        true => weights[column % n].get(column / n).copied().unwrap_or(0.0) * ld[(row, column % n)],
        false => f64::from(u8::from(column + n == row)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Quadratic;

    /// Andersson 2016, example 6.1.1: the eigenvalues of DL are the roots of d1 d2, and equation 6.41 says what linear
    /// extrapolation makes of them.
    #[test]
    fn radii_of_the_linear_example() {
        for product in [0.25f64, 0.99, 1.8] {
            let ld = Square::from_fn(2, |row, column| match (row, column) {
                (0, 1) => 1.0,
                (1, 0) => product,
                _ => 0.0,
            });
            let root = product.sqrt();
            assert!(
                (spectral_radius(&companion(&ld, &[Quadratic::Parabola.weights(0); 2])) - root).abs() < 1e-12
            );
            // For a negative eigenvalue both roots are real, and one is the largest of all four.
            let linear = root + (root * root + root).sqrt();
            assert!(
                (spectral_radius(&companion(&ld, &[Quadratic::Parabola.weights(1); 2])) - linear).abs()
                    < 1e-12
            );
        }
        assert_eq!(spectral_radius(&Square::zeros(0)), 0.0);
    }
    /// One input that is held, and one that follows a line: d1 d2 (2 z - 1) = z^3 has the size 1 of its largest root
    /// somewhere else than if both were the same.
    #[test]
    fn each_input_has_its_own_weights() {
        let ld = Square::from_fn(2, |row, column| f64::from(u8::from(row != column)) * 0.6);
        let mixed = spectral_radius(&companion(&ld, &[&[1.0], &[2.0, -1.0]]));
        // z u1 = 0.6 (2 u2 - u2 / z), z u2 = 0.6 u1: z^3 = 0.36 (2 z - 1), which is -0.9203... at its largest.
        let z = -mixed;
        assert!((z * z * z - 0.36 * (2.0 * z - 1.0)).abs() < 1e-9, "{mixed}");
        let held = spectral_radius(&companion(&ld, &[&[1.0], &[1.0]]));
        assert!((held - 0.6).abs() < 1e-12 && mixed > 0.9);
    }
}
