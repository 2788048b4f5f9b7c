// Outputs are evaluated at any time, any number of times.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output]
    y: f64,
}

#[equations]
impl Model for Ball {
    fn outputs(&mut self, _t: f64) -> Outputs<Self> { //~
        Outputs::<Self> { y: 1.0 }
    }
}

fn main() {}
