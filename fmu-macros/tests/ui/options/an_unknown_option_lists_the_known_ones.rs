// There is no option `colour`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, colour = "red")] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
