// A nominal value is a typical magnitude.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 0.5, nominal = 0.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
