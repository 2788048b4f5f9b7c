//! Two pendula that a spring couples, after Pannu 2015, section 3.
//!
//! The geometry, since printed signs contradict each other: x points right and y up, pivots are at (-2, 0) and (2, 0),
//! and are moved to the right by w1 and w2. A bob is at (sin phi, -cos phi) from its pivot, with phi from hanging down
//! and positive to the right. The spring between the bobs has no length at rest, so it pulls the left bob with
//! k (r2 - r1) and the right one with the opposite. In the frame of a pivot that moves by w, its bob also feels -w''.
//!
//! The models know neither the spring nor walls: those are coupling equations and external events of the system that puts them
//! together. [`CoupledPendula`] is all of it in one, written from the geometry.

mod cartesian;
mod coupled;
mod polar;

pub use cartesian::CartesianPendulum;
pub use coupled::CoupledPendula;
pub use polar::PolarPendulum;

use fmu_runtime::prelude::*;

export_fmu!(CartesianPendulum, PolarPendulum, CoupledPendula);
