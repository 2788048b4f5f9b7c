//! Coupled FMUs: connection graph, initialization, master algorithms, results.

pub mod coupling;
mod error;
pub mod fmu;
pub mod graph;
pub mod history;
mod master;
pub mod picture;
pub mod record;
pub mod settings;
pub mod signals;
pub mod slave;
pub mod solve;
pub mod stabilize;
pub mod statistics;
pub mod system;

pub use error::Error;
pub use master::{End, Master, Point};
pub use system::{System, SystemError};
