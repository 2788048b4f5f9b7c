//! FMI 2.0 itself: C types and status codes, the model description (read and write), naming, units and
//! variability tables. No behaviour; both the exporting and the importing side use it.

pub mod description;
pub mod fmi2;
mod guid;
pub mod legality;
pub mod naming;
pub mod units;
pub mod xml;

pub use guid::{BUILD_ANNOTATION, fingerprint, guid};
