// What is the discrete variable before the first event?
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[discrete] //~
    x: bool,
}

#[equations]
impl Model for Ball {

}

fn main() {}
