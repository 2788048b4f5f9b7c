// A parameter that is never set needs a value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter] //~
    x: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
