// FMI 2.0 has double precision only.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter(start = 1.0)]
    k: f32, //~
}

#[equations]
impl Model for Ball {

}

fn main() {}
