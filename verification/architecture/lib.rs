//! Nothing but tests: `tests/arrows.rs` compares the dependencies between crates with the table in `ARCHITECTURE.md`, and
//! `tests/sources.rs` looks for names of FMI where they do not belong.
