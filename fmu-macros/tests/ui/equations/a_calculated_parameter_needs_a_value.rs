// There is no `fn calculated`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(calculated)]
    k: f64,
}

#[equations]
impl Model for Ball { //~

}

fn main() {}
