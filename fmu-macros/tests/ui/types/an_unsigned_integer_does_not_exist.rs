// FMI 2.0 has 32-bit signed integers only.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1)]
    k: usize, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
