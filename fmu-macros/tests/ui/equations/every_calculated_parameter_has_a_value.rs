// The value of `b` was forgotten.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(calculated)]
    a: f64,
    #[parameter(calculated)]
    b: f64,
}

#[equations]
impl Model for Ball {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { a: 1.0 } //~
    }
}

fn main() {}
