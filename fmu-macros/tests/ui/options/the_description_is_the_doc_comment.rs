// Descriptions are doc comments.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, description = "Gain")] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
