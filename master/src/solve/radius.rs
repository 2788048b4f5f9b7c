//! How much an error grows when a matrix is applied to it again and again.

use nalgebra::DMatrix;

use super::Square;

/// The spectral radius of a square matrix.
pub fn spectral_radius(matrix: &Square) -> f64 {
    if matrix.is_empty() {
        return 0.0;
    }
    if matrix.entries().iter().any(|entry| !entry.is_finite()) {
        return f64::INFINITY;
    }
    let matrix = DMatrix::from_row_slice(matrix.len(), matrix.len(), matrix.entries());
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues.iter().map(|value| value.norm()).fold(0.0, f64::max)
}

/// The matrix that carries an error of the inputs from step to step, for steps of size 0, where inputs are extrapolated
/// by differences (Andersson 2016, equation 6.40, and the same for order 2): the companion matrix of the weights.
pub fn companion(ld: &Square, order: u32) -> Square {
    let n = ld.len();
    let weights: &[f64] = match order {
        0 => &[1.0],
        1 => &[2.0, -1.0],
        _ => &[3.0, -3.0, 1.0],
    };
    Square::from_fn(n * weights.len(), |row, column| match row < n {
        true => weights[column / n] * ld[(row, column % n)],
        false => f64::from(u8::from(column + n == row)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!((spectral_radius(&companion(&ld, 0)) - root).abs() < 1e-12);
            // For a negative eigenvalue both roots are real, and one is the largest of all four.
            let linear = root + (root * root + root).sqrt();
            assert!((spectral_radius(&companion(&ld, 1)) - linear).abs() < 1e-12);
        }
        assert_eq!(spectral_radius(&Square::zeros(0)), 0.0);
    }
}
