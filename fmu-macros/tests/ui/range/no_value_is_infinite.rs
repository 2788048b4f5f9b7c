// A constant that is not a finite number.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = f64::NAN)] //~
    k: f64,
    #[parameter(start = 0.5, min = -f64::INFINITY)] //~
    l: f64,
    #[parameter(start = 0.5, nominal = std::f64::INFINITY)] //~
    m: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
