// The value of `z` was forgotten.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output]
    y: f64,
    #[output]
    z: bool,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: 1.0 } //~
    }
}

fn main() {}
