// Each name of the list becomes an FMU.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

export_fmu!(Ball, Ball); //~

fn main() {}
