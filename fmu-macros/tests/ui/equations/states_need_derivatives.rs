// There is no `fn derivatives`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    h: f64,
    #[state(start = 0.0)]
    v: f64,
    #[parameter(start = 9.81)]
    g: f64,
}

#[equations]
impl Model for Ball { //~

}

fn main() {}
