//! Random models as Rust source. The build script writes them, `tests/models.rs` compiles them through the macros and
//! compares them with the programs that they were written from.

pub mod generator;
pub mod shapes;
