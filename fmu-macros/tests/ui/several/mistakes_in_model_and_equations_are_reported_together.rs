// The struct and the impl have a mistake each.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0, unit = "metre")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }

    fn event(&self, _at: Event) {} //~
}

fn main() {}
