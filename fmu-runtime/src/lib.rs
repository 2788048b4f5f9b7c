//! What generated code calls.

pub mod scalar;
