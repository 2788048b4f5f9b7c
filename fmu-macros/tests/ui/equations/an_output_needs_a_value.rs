// There is no `fn outputs`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[output]
    y: f64,
}

#[equations]
impl Model for Ball { //~

}

fn main() {}
