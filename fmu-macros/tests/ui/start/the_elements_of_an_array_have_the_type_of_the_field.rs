// Integers in an array of numbers.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = [1, 2, 3])] //~
    x: [f64; 3],
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

fn main() {}
