// A local is calculated from the beginning.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[local(start = 1.0)] //~
    y: f64,
}

#[equations]
impl Model for Ball {
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> { y: 1.0 }
    }
}

fn main() {}
