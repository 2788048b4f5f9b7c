//! Eigenvalues of small matrices.

use nalgebra::{Complex, DMatrix, Schur};

/// All eigenvalues of a square matrix; `None` if they are not found.
///
/// The search of the library does not end for some matrices, a rotation of all places among them, and for some that are
/// nearly the identity. It is bounded here, and repeated less closely and with shifted eigenvalues.
///
/// ```
/// use fmu_master::solve::eigenvalues;
/// use nalgebra::DMatrix;
///
/// let ring = DMatrix::from_fn(50, 50, |row, column| f64::from(u8::from((row + 1) % 50 == column)));
/// let found = eigenvalues(&ring).unwrap();
/// assert_eq!(found.len(), 50);
/// assert!(found.iter().all(|value| (value.norm() - 1.0).abs() < 1e-9));
/// ```
pub fn eigenvalues(matrix: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    if matrix.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let n = matrix.nrows();
    let most = 100 * n + 1000;
    let size = matrix.amax();
    for (closely, shift) in [
        (f64::EPSILON, 0.0),
        (f64::EPSILON, 0.37),
        (1e-14, 0.61),
        (1e-12, 0.83),
    ] {
        let shift = shift * size;
        let shifted = matrix + DMatrix::identity(n, n) * shift;
        if let Some(schur) = Schur::try_new(shifted, closely, most) {
            let found = schur.complex_eigenvalues();
            return Some(found.iter().map(|value| value - shift).collect());
        }
    }
    None
}
