// What is in the field before `fn instantiate` fills it? Write `default = ...`.
use fmu_runtime::prelude::*;

#[derive(Clone)]
struct Cache;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    #[internal]
    cache: Cache, //~
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
