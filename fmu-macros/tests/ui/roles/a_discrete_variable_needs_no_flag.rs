// A `#[discrete]` variable is discrete already.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[discrete(start = 1.0, discrete)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
