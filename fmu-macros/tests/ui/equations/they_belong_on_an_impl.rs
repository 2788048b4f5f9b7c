// `#[equations]` on a function.
use fmu_runtime::prelude::*;

#[equations] //~
fn derivatives(x: f64) -> f64 {
    -x
}

fn main() {
    derivatives(1.0);
}
