// There is no role `variable`: the message lists those that exist.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[variable(start = 1.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
