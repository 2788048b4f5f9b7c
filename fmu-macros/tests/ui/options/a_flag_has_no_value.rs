// `tunable` is written alone.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, tunable = "yes")] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
