// Nothing determines the unknown.
use fmu_runtime::prelude::*;

#[model]
struct Diode {
    #[implicit(start = 0.6)]
    v: f64,
}

#[equations]
impl Model for Diode {} //~

fn main() {}
