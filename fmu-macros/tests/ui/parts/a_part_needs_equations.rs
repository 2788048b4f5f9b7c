// The mistake is in the part, and reported there.
use fmu_runtime::prelude::*;

#[model]
struct Motor { //~
    #[state(start = 0.0)]
    w: f64,
}

#[model]
struct Car {
    #[part]
    motor: Motor,
}

#[equations]
impl Model for Car {

}

fn main() {}
