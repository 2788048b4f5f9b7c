// The variables of an FMU are fixed when it is built: use an array.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0)]
    k: Vec<f64>, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
