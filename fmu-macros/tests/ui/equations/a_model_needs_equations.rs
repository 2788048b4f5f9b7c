// The equations are missing: write `#[equations] impl Model for Ball { ... }`.
use fmu_runtime::prelude::*;

#[model]
struct Ball { //~
    #[state(start = 1.0)]
    x: f64,
}

export_fmu!(Ball);

fn main() {}
