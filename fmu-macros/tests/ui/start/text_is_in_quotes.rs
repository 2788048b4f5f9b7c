// `7` is not text.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 7)] //~
    label: String,
}

#[equations]
impl Model for Ball {

}

fn main() {}
