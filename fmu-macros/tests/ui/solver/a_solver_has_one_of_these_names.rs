// The integrators have names, and a step is longer than 0.
use fmu_runtime::prelude::*;

/// A tank
#[model(
    solver = "runge", //~
    max_step = 0.0, //~
    max_internal_steps = 0, //~
    solver_parameters = 3 //~
)]
struct Tank {
    /// Level
    #[state(start = 1.0, unit = "m")]
    level: f64,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: -self.level }
    }
}

fn main() {}
