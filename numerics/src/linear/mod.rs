//! Linear systems: full ([`Lu`]), near the identity and large (by products with [`Sparse`]), and the matrices of an
//! implicit integrator, which are full, banded or sparse.

#[cfg(feature = "bdf")]
mod band;
#[cfg(feature = "bdf")]
mod factors;
#[cfg(feature = "bdf")]
mod iteration_matrix;
mod krylov;
mod lu;
mod radius;
mod sparse;
#[cfg(feature = "bdf")]
mod sparse_lu;
mod square;

#[cfg(feature = "bdf")]
pub(crate) use iteration_matrix::IterationMatrix;
pub(crate) use krylov::Krylov;
pub use lu::Lu;
pub use radius::spectral_radius_by_products;
pub use sparse::Sparse;
pub use square::Square;

/// What is next to nothing becomes nothing. A substitution makes numbers smaller from cell to cell, and those below the
/// normal ones cost a processor a hundred times as much.
#[cfg(feature = "bdf")]
#[inline]
fn flushed(value: f64) -> f64 {
    if value.abs() < 1e-200 { 0.0 } else { value }
}
