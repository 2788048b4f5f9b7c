// A variant of another enumeration.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off,
    On,
}

#[derive(Enumeration, Clone, Copy)]
enum Colour {
    Red,
}

#[model]
struct Ball {
    #[parameter(start = Colour::Red)] //~
    mode: Mode,
}

#[equations]
impl Model for Ball {

}

fn main() {}
