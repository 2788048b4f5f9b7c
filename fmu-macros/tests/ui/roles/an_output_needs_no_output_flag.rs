// An `#[output]` is one already.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output(output)] //~
    y: f64,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: 1.0 }
    }
}

fn main() {}
