// Three kinds of variables, and no function at all.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    #[output]
    y: f64,
    #[local]
    z: f64,
}

#[equations]
impl Model for Ball { //~~~

}

fn main() {}
