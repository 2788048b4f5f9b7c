// A part is another model; a number is a variable.
use fmu_runtime::prelude::*;

#[model]
struct Car {
    #[part]
    motor: f64, //~
}

#[equations]
impl Model for Car {

}

fn main() {}
