// `#[differentiable]` has one option, for a renamed runtime.
use fmu_runtime::prelude::*;

#[differentiable(order = 2)] //~
fn square(x: f64) -> f64 {
    x * x
}

fn main() {
    square(1.0);
}
