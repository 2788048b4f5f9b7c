// An item of an FMI enumeration is a name and a number.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off,
    Open(f64), //~
}

#[model]
struct Valve {
    #[parameter(start = Mode::Off)]
    mode: Mode,
}

#[equations]
impl Model for Valve {}

fn main() {}
