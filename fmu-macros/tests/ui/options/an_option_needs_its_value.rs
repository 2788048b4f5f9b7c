// `start` says nothing without a value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
