// Either the parameter is given, or it is calculated.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(calculated, start = 1.0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { k: 1.0 }
    }
}

fn main() {}
