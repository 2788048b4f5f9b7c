// What events change is `#[discrete]`, and no parameter.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0, discrete)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
