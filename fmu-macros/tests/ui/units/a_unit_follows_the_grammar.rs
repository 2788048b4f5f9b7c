// Two slashes: which of the two is meant, m/(s/s) or m/(s.s)?
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0, unit = "m//s")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
