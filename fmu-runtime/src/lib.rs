//! What generated code calls.
