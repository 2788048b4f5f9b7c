// An input is set from outside, so the standard allows no `initial`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[input(start = 1.0, initial = "exact")] //~
    u: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
