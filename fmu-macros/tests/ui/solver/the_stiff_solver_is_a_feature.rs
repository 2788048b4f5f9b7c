// The implicit integrator is a cargo feature: a model that does not need it does not carry it.
use fmu_runtime::prelude::*;

/// A tank
#[model(solver = "bdf")] //~
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
