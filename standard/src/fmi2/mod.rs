//! The C interface of FMI 2.0 (types, constants and function types, in the order of the standard's headers and under their
//! names), its calling sequence, and the reader and the writer of its model description.
//!
//! Enumerations of C are numbers here ([`fmi2Status`] and its like): whatever the other side of the boundary passes
//! is then a value, where a Rust enum would make an unknown number undefined behaviour. They match as enums do:
//!
//! ```
//! use fmu_standard::fmi2::{fmi2Discard, fmi2Error, fmi2Status};
//!
//! fn worth_a_shorter_step(status: fmi2Status) -> bool {
//!     match status {
//!         fmi2Discard => true,
//!         fmi2Error => false,
//!         _ => false,
//!     }
//! }
//! assert!(worth_a_shorter_step(fmi2Status(2)));
//! assert_eq!(fmi2Error.to_string(), "fmi2Error");
//! assert_eq!(fmi2Status(77).to_string(), "fmi2Status(77)");
//! ```
#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]

pub mod calls;
pub mod legality;
mod names;
#[cfg(feature = "read")]
mod read;
mod types;
mod write;

pub use names::{CO_SIMULATION_FUNCTIONS, COMMON_FUNCTIONS, MODEL_EXCHANGE_FUNCTIONS, functions};
#[cfg(feature = "read")]
pub use read::read;
pub use types::*;
pub use write::write;
pub(crate) use write::write_interface;
