// The names of the fields become the names of the variables.
use fmu_runtime::prelude::*;

#[model]
struct Ball(f64); //~

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: 1.0 }
    }
}

export_fmu!(Ball);

fn main() {}
