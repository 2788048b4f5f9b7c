// A number that no f64 can hold.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 0.5, max = 1e999)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
