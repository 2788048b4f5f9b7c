// A constant is exact.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[constant(start = 1.0, initial = "calculated")] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
