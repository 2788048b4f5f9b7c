//! The `fmu` command as a library: create, package, check, simulate, linearize and couple FMUs.
//!
//! # In your own workspace
//!
//! The command needs no installation. A workspace with model crates gets it from a crate `xtask` with this `main`
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     fmu::cli::main()
//! }
//! ```
//!
//! a dependency on this crate in `xtask/Cargo.toml` (with `default-features = false, features = ["package"]` it is quick to
//! build), and an alias in `.cargo/config.toml`:
//!
//! ```toml
//! [alias]
//! xtask = "run --quiet --package xtask --"
//! ```
//!
//! From then on `cargo xtask new-model heat-pump` creates a model crate and `cargo xtask package-fmu heat-pump` makes its FMU.
//! A workspace with other commands flattens [`cli::Command`] into its command line.
//!
//! # From a program
//!
//! [`package::package`] does what the command does, and reports its steps to a `Progress`:
//!
//! ```no_run
//! use fmu::package::{Console, Options, package};
//!
//! let options = Options::of(["heat-pump"]);
//! let paths = package(".".as_ref(), &options, &mut Console::new())?;
//! println!("{}", paths[0].display());
//! # Ok::<(), fmu::package::Error>(())
//! ```
//!
//! # Features
//!
//! - `package`: creating and packaging models; needs no C compiler beside the linker of Rust.
//! - `import`: showing and checking FMUs of any tool; needs a C compiler.
//! - `simulate`: simulating and linearizing them, with solvers that take a minute to build.
//! - `couple`: simulating systems of FMUs, without those solvers.
//!
//! All are on by default.

#[cfg(feature = "supervise")]
mod assign;
#[cfg(feature = "import")]
pub mod check;
#[cfg(feature = "package")]
mod cleanup;
#[cfg(feature = "package")]
pub mod cli;
#[cfg(feature = "couple")]
pub mod couple;
#[cfg(feature = "supervise")]
mod files;
#[cfg(feature = "import")]
pub mod info;
#[cfg(feature = "supervise")]
mod interrupt;
#[cfg(feature = "couple")]
mod isolate;
#[cfg(feature = "simulate")]
pub mod linearize;
#[cfg(feature = "package")]
pub mod new;
#[cfg(feature = "package")]
mod output;
#[cfg(feature = "package")]
pub mod package;
#[cfg(feature = "package")]
mod printable;
#[cfg(feature = "supervise")]
mod progress;
#[cfg(feature = "supervise")]
mod silence;
#[cfg(feature = "simulate")]
pub mod simulate;
#[cfg(any(feature = "simulate", feature = "aggregate"))]
mod steps;
#[cfg(feature = "supervise")]
mod supervise;
#[cfg(feature = "package")]
mod whole;
