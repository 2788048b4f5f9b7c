// The value of `b` was forgotten.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[local]
    a: f64,
    #[local]
    b: f64,
}

#[equations]
impl Model for Ball {
    fn locals(&self, t: f64) -> Locals<Self> {
        Locals::<Self> { a: t } //~
    }
}

fn main() {}
