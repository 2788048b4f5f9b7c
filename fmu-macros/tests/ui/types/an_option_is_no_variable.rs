// An FMI variable always has a value.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = None)]
    k: Option<f64>, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
