// The initial value of `b` was forgotten.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[discrete(initial = "calculated")]
    a: f64,
    #[discrete(initial = "calculated")]
    b: f64,
}

#[equations]
impl Model for Ball {
    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> { a: 1.0 } //~
    }
}

fn main() {}
