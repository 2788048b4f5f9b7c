// `calculated` is for parameters; an output is always calculated.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output(calculated)] //~
    y: f64,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: 1.0 }
    }
}

fn main() {}
