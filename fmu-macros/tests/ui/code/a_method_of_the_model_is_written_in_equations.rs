// `energy` is a method over f64 only: put `#[equations]` on its impl.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.energy() } //~
    }
}

impl Ball {
    fn energy(&self) -> f64 {
        0.5 * self.x * self.x
    }
}

fn main() {}
