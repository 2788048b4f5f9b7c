// `fn locals` returns `Locals<Self>`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[local]
    y: f64,
}

#[equations]
impl Model for Ball {
    fn locals(&self, _t: f64) -> f64 { //~
        1.0
    }
}

fn main() {}
