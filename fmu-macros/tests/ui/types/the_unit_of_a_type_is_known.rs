// Type definitions are checked like variables.
use fmu_runtime::prelude::*;

#[model(types(Pressure(unit = "pascal")))] //~
struct Ball {
    #[parameter(start = 0.5, declared_type = Pressure)]
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
