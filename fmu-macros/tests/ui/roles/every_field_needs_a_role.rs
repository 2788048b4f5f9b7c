// A field without a role could be anything: say `#[internal]` if it is not an FMI variable.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    rate: f64, //~
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
