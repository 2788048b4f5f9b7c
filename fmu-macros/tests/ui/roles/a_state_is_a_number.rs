// Only an f64 can change continuously.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1)]
    x: i32, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
