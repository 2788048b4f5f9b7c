// Types and variables share their names in the model description.
use fmu_runtime::prelude::*;

#[model(types(k(unit = "Pa")))] //~
struct Ball {
    #[parameter(start = 0.5)]
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
