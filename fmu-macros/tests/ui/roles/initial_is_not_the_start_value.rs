// The value at the start is `start`; `initial` says who gives it.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(initial = 1.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
