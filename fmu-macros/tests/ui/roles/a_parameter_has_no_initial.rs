// A parameter is exact; one that follows from others is `#[parameter(calculated)]`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, initial = "approx")] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
