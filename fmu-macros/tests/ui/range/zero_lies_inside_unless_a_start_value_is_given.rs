// An input starts at 0 unless `start` is given, and 0 is not in its range.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[input(min = 1.0)] //~
    u: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
