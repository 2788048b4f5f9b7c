// Two types of one name.
use fmu_runtime::prelude::*;

#[model(types(
    Pressure(unit = "Pa"),
    Pressure(unit = "bar"), //~
))]
struct Ball {
    #[parameter(start = 0.5)]
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
