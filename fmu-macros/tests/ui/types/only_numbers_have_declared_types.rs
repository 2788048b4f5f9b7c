// `types(...)` declares types of f64.
use fmu_runtime::prelude::*;

#[model(types(Count(min = 0.0)))]
struct Ball {
    #[parameter(start = 1, declared_type = Count)] //~
    n: i32,
}

#[equations]
impl Model for Ball {

}

fn main() {}
