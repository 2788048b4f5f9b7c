//! The coupled examples of Andersson 2016, chapters 5 and 6: where feed-through makes the difference.
//!
//! Which output depends on which input is found from the equations and stands in the FMU; from it a master sees in which
//! order values can be exchanged, and where they have to be solved for. Nothing of that is written here.

mod five_models;
mod masses;
mod pendulums;
mod quotient;

pub use five_models::{Model1, Model2, Model3, Model4, Model5};
pub use masses::{LeftMass, RightMass};
pub use pendulums::{LowerPendulum, UpperPendulum};
pub use quotient::Quotient;

use fmu_runtime::prelude::*;

export_fmu!(
    UpperPendulum,
    LowerPendulum,
    LeftMass,
    RightMass,
    Quotient,
    Model1,
    Model2,
    Model3,
    Model4,
    Model5,
);
