// Options of the model itself, too, are recognized behind a typo.
use fmu_runtime::prelude::*;

#[model(stop_tme = 3.0)] //~
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
