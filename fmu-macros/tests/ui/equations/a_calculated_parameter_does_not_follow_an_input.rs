// A calculated parameter is constant during a simulation, so it cannot follow an input.

use fmu_runtime::prelude::*;

/// A heated room.
#[model]
pub struct Room {
    /// Temperature outside
    #[input(start = 5.0, unit = "degC")]
    outside: f64,
    /// Set point
    #[parameter(start = 20.0, unit = "degC")]
    set_point: f64,
    /// Difference to hold
    #[parameter(calculated, unit = "K")]
    difference: f64,
}

#[equations]
impl Model for Room {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> {
            difference: self.set_point - self.outside, //~
        }
    }
}

fn main() {}
