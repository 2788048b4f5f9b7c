// An array says nothing about which derivative is whose.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> [f64; 1] { //~
        [-self.x]
    }
}

fn main() {}
