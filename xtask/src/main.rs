//! `cargo xtask`: a thin front over the `fmu` library, and the repository's own chores.

fn main() {}
