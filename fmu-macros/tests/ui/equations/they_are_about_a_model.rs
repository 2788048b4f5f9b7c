// The struct has no `#[model]`.
use fmu_runtime::prelude::*;

struct Ball {
    x: f64,
}

#[equations]
impl Model for Ball { //~
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
