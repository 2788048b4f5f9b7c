// Three options of one variable, each wrong in its own way.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(
        start = 1, //~
        unit = "metre", //~
        nominal = -1.0, //~
    )]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
