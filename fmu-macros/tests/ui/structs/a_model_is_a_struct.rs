// `#[model]` on an enum.
use fmu_runtime::prelude::*;

#[model] //~
enum Ball {
    Falling,
    Resting,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: 1.0 }
    }
}

export_fmu!(Ball);

fn main() {}
