// One element of the start value is below `min`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = [1.0, -1.0], min = 0.0)] //~
    x: [f64; 2],
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

fn main() {}
