// `initial = "approx"` is a first guess, and the guess is missing.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(initial = "approx")] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> { x: 1.0 }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
