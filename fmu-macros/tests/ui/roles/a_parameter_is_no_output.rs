// The standard has no parameter that is an output: add an `#[output]` that has its value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, output)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
