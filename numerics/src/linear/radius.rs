//! How much a vector grows when a matrix is applied to it again and again.

/// The spectral radius of a large matrix with `n` rows of which only products are known: the mean growth of a vector over
/// many of them. It is good to a few percent.
///
/// ```
/// use fmu_numerics::spectral_radius_by_products;
///
/// // A rotation by 1 rad that doubles lengths: its eigenvalues are 2 exp(i) and 2 exp(-i).
/// let (sin, cos) = 1.0f64.sin_cos();
/// let rotate = |x: &[f64], y: &mut [f64]| {
///     (y[0], y[1]) = (2.0 * (cos * x[0] - sin * x[1]), 2.0 * (sin * x[0] + cos * x[1]));
/// };
/// assert!((spectral_radius_by_products(2, rotate) - 2.0).abs() < 1e-9);
/// ```
pub fn spectral_radius_by_products(n: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> f64 {
    const PRODUCTS: usize = 200;
    // Any vector that has a part in all directions.
    let mut x: Vec<f64> = (0..n).map(|k| 1.0 + (1.0 + k as f64).sin()).collect();
    let mut product = vec![0.0; n];
    let mut growth = 0.0;
    for number in 0..PRODUCTS {
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            return 0.0;
        }
        if !length.is_finite() {
            return f64::INFINITY;
        }
        if number > PRODUCTS / 2 {
            growth += length.ln();
        }
        x.iter_mut().for_each(|x| *x /= length);
        apply(&x, &mut product);
        std::mem::swap(&mut x, &mut product);
    }
    (growth / (PRODUCTS - PRODUCTS / 2 - 1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::spectral_radius_by_products;

    #[test]
    fn products_give_the_radius_of_a_large_matrix() {
        // A ring with a gain at each place: all eigenvalues have the size of the gain.
        let n = 500;
        let ring = |x: &[f64], y: &mut [f64]| (0..n).for_each(|k| y[k] = -1.3 * x[(k + 1) % n]);
        assert!((spectral_radius_by_products(n, ring) - 1.3).abs() < 0.03);
        // A chain that ends is not a loop.
        let chain =
            |x: &[f64], y: &mut [f64]| (0..n).for_each(|k| y[k] = if k < 9 { 5.0 * x[k + 1] } else { 0.0 });
        assert_eq!(spectral_radius_by_products(n, chain), 0.0);
    }
}
