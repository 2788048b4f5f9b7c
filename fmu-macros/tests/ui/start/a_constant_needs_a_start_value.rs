// A constant without a value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[constant] //~
    x: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
