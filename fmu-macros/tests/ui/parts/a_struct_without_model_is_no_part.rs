// `Motor` is a plain struct.
use fmu_runtime::prelude::*;

#[derive(Clone, Default)]
struct Motor {
    u: f64,
}

#[model]
struct Car {
    #[part]
    motor: Motor, //~
}

#[equations]
impl Model for Car {

}

fn main() {}
