// The time is missing.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self) -> Derivatives<Self> { //~
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
