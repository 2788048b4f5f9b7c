// `1` is an integer, the variable is an f64.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
