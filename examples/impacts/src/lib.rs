//! Bodies that hit others: a toy woodpecker and a pendulum that a wall blocks.
//!
//! Two models in one crate. `event` decides by the values which of several things has happened, and changes states; what is
//! between two impacts is an ordinary differential equation.

mod blocked_pendulum;
mod woodpecker;

pub use blocked_pendulum::{BlockedPendulum, WALL};
pub use woodpecker::Woodpecker;

use fmu_runtime::prelude::*;

export_fmu!(Woodpecker, BlockedPendulum);
