// An internal field is not an FMI variable: its value at the start is `default`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    #[internal(start = 3)] //~
    count: usize,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
