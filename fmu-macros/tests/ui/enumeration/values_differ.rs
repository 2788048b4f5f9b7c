// Two items with one value are rustc's to find.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode { //~
    Off = 2,
    On = 2,
}

#[model]
struct Valve {
    #[parameter(start = Mode::Off)]
    mode: Mode,
}

#[equations]
impl Model for Valve {}

fn main() {}
