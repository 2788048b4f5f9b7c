// One mistake in each of two models.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

#[model]
struct Spring {
    #[state(start = 1.0)]
    l: f64,
}

#[equations]
impl Model for Spring {} //~

fn main() {}
