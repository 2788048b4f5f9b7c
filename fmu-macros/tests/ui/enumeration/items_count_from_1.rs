// As in Modelica, the first item is 1, unless it has a discriminant.
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
