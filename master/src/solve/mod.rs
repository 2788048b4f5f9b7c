//! Newton's method from `fmu-numerics`, and what matrices do when they are applied again and again.

mod eigenvalues;
mod radius;

pub use eigenvalues::eigenvalues;
pub use fmu_numerics::{Equations, Lu, Newton, Sparse, Square, Unsolved, Why, spectral_radius_by_products};
pub use radius::{companion, spectral_radius};
