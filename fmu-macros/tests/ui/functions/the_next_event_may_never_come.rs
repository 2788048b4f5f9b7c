// `fn next_event_time` returns an `Option`.
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


    fn next_event_time(&self, t: f64) -> f64 { //~
        t + 1.0
    }
}

fn main() {}
