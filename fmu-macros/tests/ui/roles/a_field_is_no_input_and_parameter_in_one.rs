// An input changes, a parameter does not: choose one.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[input(start = 1.0)]
    #[parameter(start = 1.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
