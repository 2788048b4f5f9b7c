// The bounds are swapped.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 0.5, min = 1.0, max = 0.0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
