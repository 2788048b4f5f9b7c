// A display unit is another way to show the unit, and there is none.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0, display_unit = "degC")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
