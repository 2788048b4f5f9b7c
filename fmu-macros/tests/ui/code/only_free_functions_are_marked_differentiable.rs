// Methods go into `#[equations] impl`.
use fmu_runtime::prelude::*;

#[differentiable] //~
struct Spring {
    k: f64,
}

fn main() {
    let _ = Spring { k: 1.0 }.k;
}
