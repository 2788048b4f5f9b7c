// `energy` is a helper method.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.energy() }
    }

    fn energy(&self) -> f64 { //~
        0.5 * self.x * self.x
    }
}

fn main() {}
