// The stop time must come after the start time.
use fmu_runtime::prelude::*;

#[model(start_time = 5.0, stop_time = 3.0)] //~
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
