// A tuple is not an FMI type: use an array or two fields.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = (1.0, 2.0))]
    k: (f64, f64), //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
