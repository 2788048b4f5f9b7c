//! The `fmu` command as a library: lay out, package, check, simulate and couple FMUs.

#[cfg(feature = "package")]
pub mod cli;
