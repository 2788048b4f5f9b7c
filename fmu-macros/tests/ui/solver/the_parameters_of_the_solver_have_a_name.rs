// The parameters of the solver are a part with the name `solver`.
use fmu_runtime::prelude::*;

/// A tank
#[model(solver_parameters)]
struct Tank {
    /// Level
    #[state(start = 1.0, unit = "m")]
    level: f64,
    /// Who solves it
    #[parameter(start = "me")]
    solver: String, //~
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: -self.level }
    }
}

fn main() {}
