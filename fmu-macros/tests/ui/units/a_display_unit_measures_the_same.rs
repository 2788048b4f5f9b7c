// Bars do not measure lengths.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0, unit = "m", display_unit = "bar")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
