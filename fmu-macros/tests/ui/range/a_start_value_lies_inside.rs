// The start value is above `max`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 2.0, min = 0.0, max = 1.0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
