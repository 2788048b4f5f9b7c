//! Small dense systems of equations: Newton's method, and what matrices do when they are applied again and again.

mod dense;
mod newton;
mod radius;

pub use dense::{Factors, Square};
pub use newton::{Equations, Newton, Unsolved, Why};
pub use radius::{companion, spectral_radius};
