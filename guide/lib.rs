//! The Rust code of the guide and of the README, as doctests: every block is compiled, and run unless it says `no_run`.
//!
//! The chapters are Markdown in `guide/src`; `tests/documents.rs` runs their commands and reads their system files.

/// One module per document, so that a failing doctest names it.
macro_rules! documents {
    ($($name:ident $file:literal)+) => {$(
        #[doc = include_str!($file)]
        pub mod $name {}
    )+};
}

documents! {
    readme "../README.md"
    first_model "src/first-model.md"
    events "src/events.md"
    parts_and_units "src/parts-and-units.md"
    implicit_equations "src/implicit-equations.md"
    co_simulation "src/co-simulation.md"
    testing "src/testing.md"
    packaging "src/packaging.md"
    checking "src/checking.md"
    simulating "src/simulating.md"
    coupling "src/coupling.md"
    strong_coupling "src/strong-coupling.md"
    extending "src/extending.md"
}
