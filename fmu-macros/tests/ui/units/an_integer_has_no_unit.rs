// FMI 2.0 has units for Real variables only.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1, unit = "m")] //~
    n: i32,
}

#[equations]
impl Model for Ball {

}

fn main() {}
