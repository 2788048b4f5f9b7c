// An output is calculated from the beginning.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output(start = 1.0)] //~
    y: f64,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: 1.0 }
    }
}

fn main() {}
