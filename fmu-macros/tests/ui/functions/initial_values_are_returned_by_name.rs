// `fn initial` returns `Initial<Self>`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(initial = "calculated")]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }


    fn initial(&self, _t: f64) -> Derivatives<Self> { //~
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
