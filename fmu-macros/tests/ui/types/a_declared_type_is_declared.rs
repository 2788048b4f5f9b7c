// There is no type `Presure` in `types(...)`.
use fmu_runtime::prelude::*;

#[model(types(Pressure(unit = "Pa")))]
struct Ball {
    #[parameter(start = 0.5, declared_type = Presure)] //~
    k: f64,
}

#[equations]
impl Model for Ball {

}

fn main() {}
