// An FMI Integer has 32 bits.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 3000000000)] //~
    n: i32,
}

#[equations]
impl Model for Ball {

}

fn main() {}
