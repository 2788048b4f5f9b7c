//! The models of Petridis and Clauss, 'Test of Basic Co-Simulation Algorithms Using FMI', split as their tables split them.
//!
//! Equations that hold at every instant, without a state, are models like any other: `fn outputs` alone. Where a system is
//! cut decides whether its parts feed through to each other, and with that which algorithm can couple them.

mod circuits;
mod equations;
mod events;

pub use circuits::{Node, ResistorCapacitor, SourceResistor, VaryingResistor};
pub use equations::{BilinearRow, Defect, Exponential, LinearRow, RightHandSide, Sum};
pub use events::{Retarded, Room, Thermostat};

use fmu_runtime::prelude::*;

export_fmu!(
    LinearRow,
    RightHandSide,
    Sum,
    Defect,
    VaryingResistor,
    Node,
    SourceResistor,
    ResistorCapacitor,
    Exponential,
    BilinearRow,
    Room,
    Thermostat,
    Retarded,
);
