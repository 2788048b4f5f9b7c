// An FMU is used from many threads: `Arc` instead of `Rc`.
use fmu_runtime::prelude::*;
use std::rc::Rc;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    #[internal]
    cache: Rc<f64>, //~
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
