// The standard has no variable that is input and output in one: add an `#[output]`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[input(output)] //~
    u: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
