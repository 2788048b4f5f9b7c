// `Ball` is a plain struct.
use fmu_runtime::prelude::*;

struct Ball {
    x: f64,
}

export_fmu!(Ball); //~

fn main() {
    let _ = Ball { x: 1.0 }.x;
}
