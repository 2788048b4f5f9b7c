// No type is declared at all.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 0.5, declared_type = Pressure)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
