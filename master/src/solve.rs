//! Small dense systems of equations, and what their matrices do when they are applied again and again.

use nalgebra::{DMatrix, DVector};

/// The spectral radius of a square matrix.
pub fn spectral_radius(matrix: &DMatrix<f64>) -> f64 {
    if matrix.is_empty() {
        return 0.0;
    }
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues.iter().map(|value| value.norm()).fold(0.0, f64::max)
}

/// The matrix that carries an error of the outputs from step to step, for steps of size 0, where inputs are extrapolated
/// by differences (Andersson 2016, equation 6.40, and the same for order 2): the companion matrix of the weights.
pub fn companion(dl: &DMatrix<f64>, order: u32) -> DMatrix<f64> {
    let n = dl.nrows();
    let weights: &[f64] = match order {
        0 => &[1.0],
        1 => &[2.0, -1.0],
        _ => &[3.0, -3.0, 1.0],
    };
    let mut matrix = DMatrix::zeros(n * weights.len(), n * weights.len());
    for (block, weight) in weights.iter().enumerate() {
        matrix.view_mut((0, block * n), (n, n)).copy_from(&(dl * *weight));
    }
    for row in n..n * weights.len() {
        matrix[(row, row - n)] = 1.0;
    }
    matrix
}

/// Solves `matrix * x = b`; none, if the matrix is singular, or so nearly that the digits of `b` are lost.
pub fn solve(matrix: &DMatrix<f64>, b: &[f64]) -> Option<DVector<f64>> {
    const LOST: f64 = 1e-10;
    let factors = matrix.clone().lu();
    let upper = factors.u();
    let pivots = (0..upper.nrows()).map(|i| upper[(i, i)].abs());
    let (smallest, largest) = pivots.fold((f64::INFINITY, 0.0f64), |(a, b), pivot| {
        (a.min(pivot), b.max(pivot))
    });
    if smallest <= LOST * largest {
        return None;
    }
    let x = factors.solve(&DVector::from_column_slice(b))?;
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Broyden's update: `matrix` shall map the step `dx` to the change `df` that was seen.
pub fn broyden(matrix: &mut DMatrix<f64>, dx: &DVector<f64>, df: &DVector<f64>) {
    let length = dx.norm_squared();
    if length > 0.0 {
        let miss = (df - &*matrix * dx) / length;
        *matrix += miss * dx.transpose();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Andersson 2016, example 6.1.1: the eigenvalues of DL are the roots of d1 d2, and equation 6.41 says what linear
    /// extrapolation makes of them.
    #[test]
    fn radii_of_the_linear_example() {
        for product in [0.25f64, 0.99, 1.8] {
            let dl = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, product, 0.0]);
            let root = product.sqrt();
            assert!((spectral_radius(&companion(&dl, 0)) - root).abs() < 1e-12);
            // For a negative eigenvalue both roots are real, and one is the largest of all four.
            let linear = root + (root * root + root).sqrt();
            assert!((spectral_radius(&companion(&dl, 1)) - linear).abs() < 1e-12);
        }
        assert_eq!(spectral_radius(&DMatrix::zeros(0, 0)), 0.0);
    }

    #[test]
    fn a_secant_is_met_after_the_update() {
        let mut matrix = DMatrix::identity(2, 2);
        let (dx, df) = (
            DVector::from_vec(vec![1.0, 2.0]),
            DVector::from_vec(vec![3.0, -1.0]),
        );
        broyden(&mut matrix, &dx, &df);
        assert!((&matrix * dx - df).norm() < 1e-15);
        assert!(solve(&DMatrix::zeros(2, 2), &[1.0, 1.0]).is_none());
    }
}
