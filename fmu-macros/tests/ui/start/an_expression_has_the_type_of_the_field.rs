// An expression of another type is found by rustc.
use fmu_runtime::prelude::*;

const GAINS: [f64; 2] = [1.0, 2.0];

#[model]
struct Ball {
    #[parameter(start = GAINS.len())] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
