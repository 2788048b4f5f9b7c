// The value of an item is written as a number.
use fmu_runtime::prelude::*;

const BASE: isize = 3;

#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off = BASE, //~
    On = 7,
}

#[model]
struct Valve {
    #[parameter(start = Mode::Off)]
    mode: Mode,
}

#[equations]
impl Model for Valve {}

fn main() {}
