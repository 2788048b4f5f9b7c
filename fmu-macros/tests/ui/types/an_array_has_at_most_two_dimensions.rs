// Three indices.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 0.0)]
    k: [[[f64; 2]; 2]; 2], //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
