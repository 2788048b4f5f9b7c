// `impl Model` has functions only.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    const RATE: f64 = 2.0; //~

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -Self::RATE * self.x }
    }
}

fn main() {}
