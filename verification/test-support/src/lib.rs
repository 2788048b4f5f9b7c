//! What the tests of several crates share. It is never published, and published crates use it in their tests only.
//!
//! Each group of modules is behind a cargo feature, so that the tests of one crate do not build all others.

pub mod allocations;
pub mod exponential;
#[cfg(feature = "fmus")]
pub mod fmus;
#[cfg(feature = "fmus")]
pub mod packed;
#[cfg(feature = "fmus")]
pub mod probe;
#[cfg(all(feature = "fmus", target_os = "linux"))]
pub mod processes;
pub mod random;
pub mod reference;
#[cfg(feature = "coupling")]
pub mod relay;
#[cfg(feature = "segments")]
pub mod segments;
#[cfg(feature = "coupling")]
pub mod ssp;
#[cfg(feature = "models")]
pub mod structure;
#[cfg(feature = "targets")]
pub mod targets;
#[cfg(feature = "fmus")]
pub mod zip;
