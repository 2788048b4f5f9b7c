// `1` is not a variant of the enumeration.
use fmu_runtime::prelude::*;

#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off,
    On,
}

#[model]
struct Ball {
    #[parameter(start = 1)] //~
    mode: Mode,
}

#[equations]
impl Model for Ball {

}

fn main() {}
