// A bool for a number.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output]
    y: f64,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: t > 1.0 } //~
    }
}

fn main() {}
