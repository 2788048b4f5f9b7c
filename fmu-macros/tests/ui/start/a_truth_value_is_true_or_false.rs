// `0` is not a bool.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[discrete(start = 0)] //~
    open: bool,
}

#[equations]
impl Model for Ball {

}

fn main() {}
