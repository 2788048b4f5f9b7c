// As in Modelica, the first item is 1, unless told otherwise.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off,
    On = 1, //~
}

#[model]
struct Valve {
    #[parameter(start = Mode::Off)]
    mode: Mode,
}

#[equations]
impl Model for Valve {}

fn main() {}
