// An input changes anyway.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[input(start = 1.0, tunable)] //~
    u: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
