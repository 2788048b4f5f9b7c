// An integer bound of an f64.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 0.5, min = 0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
