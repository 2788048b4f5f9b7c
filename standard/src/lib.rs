//! FMI 2.0 and 3.0 as data: C types, one model description with a reader and a writer, which combinations of attributes are
//! legal, the calling sequence, naming, units, and the names of our vendor extension. No behaviour: the exporting and the
//! importing side both use it.

pub mod description;
pub mod extension;
pub mod fmi2;
pub mod fmi3;
mod guid;
pub mod legality;
pub mod lines;
pub mod naming;
#[cfg(feature = "object")]
pub mod object;
pub mod platform;
pub mod shared;
mod states;
pub mod units;
pub mod xml;

pub use guid::{fingerprint, guid, identity, instantiation_token};
