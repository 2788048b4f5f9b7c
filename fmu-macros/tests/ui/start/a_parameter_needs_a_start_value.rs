// What is the parameter unless somebody sets it?
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[parameter] //~
    x: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
