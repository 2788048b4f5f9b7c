// There is no `fn locals`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[local]
    y: f64,
}

#[equations]
impl Model for Ball { //~

}

fn main() {}
