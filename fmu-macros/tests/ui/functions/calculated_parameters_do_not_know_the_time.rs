// A calculated parameter follows from other parameters alone.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(calculated)]
    k: f64,
}

#[equations]
impl Model for Ball {
    fn calculated(&self, _t: f64) -> Calculated<Self> { //~
        Calculated::<Self> { k: 1.0 }
    }
}

fn main() {}
