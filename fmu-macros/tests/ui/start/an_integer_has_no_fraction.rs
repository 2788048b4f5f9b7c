// `1.5` is not an i32.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.5)] //~
    n: i32,
}

#[equations]
impl Model for Ball {

}

fn main() {}
