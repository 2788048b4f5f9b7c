// Values of variables are copied: derive `Clone` and `Copy`.
use fmu_runtime::prelude::*;

#[derive(Enumeration)]
enum Mode { //~
    Off,
    On,
}

#[model]
struct Valve {
    #[parameter(start = Mode::Off)]
    mode: Mode,
}

#[equations]
impl Model for Valve {}

fn main() {}
