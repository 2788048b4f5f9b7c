// A variable owns its value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = "a")]
    k: &'static str, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
