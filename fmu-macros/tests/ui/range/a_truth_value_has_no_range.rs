// There is nothing between false and true.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = true, min = 0)] //~
    open: bool,
}

#[equations]
impl Model for Ball {

}

fn main() {}
