//! Systems of equations, small and dense or large and sparse: Newton's method, and what matrices do when they are
//! applied again and again.

mod dense;
mod eigenvalues;
mod krylov;
mod newton;
mod radius;
mod sparse;

pub use dense::{Factors, Square};
pub use eigenvalues::eigenvalues;
pub use newton::{Equations, Newton, Unsolved, Why};
pub use radius::{companion, spectral_radius, spectral_radius_by_products};
pub use sparse::Sparse;
