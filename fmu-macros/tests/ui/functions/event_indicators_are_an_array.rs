// How many indicators are there? The length of an array says it.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }


    fn event_indicators(&self, _t: f64) -> Vec<f64> { //~
        vec![self.x]
    }
}

fn main() {}
