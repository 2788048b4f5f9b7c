//! What other libraries ask of a scalar.

/// What a scalar must be for the linear algebra library in use; nothing by default.
pub trait Backend {}

impl<T> Backend for T {}
