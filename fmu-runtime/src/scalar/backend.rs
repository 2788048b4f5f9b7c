//! What a linear algebra library asks of a scalar; nothing without one.

/// What a scalar must be for the linear algebra library in use: nothing by default, and what vectors and
/// matrices of `nalgebra` need with the cargo feature of that name.
#[cfg(not(feature = "nalgebra"))]
pub trait Backend {}

#[cfg(not(feature = "nalgebra"))]
impl<T> Backend for T {}

#[cfg(feature = "nalgebra")]
pub use super::matrix::Backend;
