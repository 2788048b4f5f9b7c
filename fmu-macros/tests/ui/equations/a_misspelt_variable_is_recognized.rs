// `heigth` is `height`: one mistake, not a field too many and one too few.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    height: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { heigth: -9.81 } //~
    }
}

fn main() {}
