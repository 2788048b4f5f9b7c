// Which of the two is meant?
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, start = 2.0)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
