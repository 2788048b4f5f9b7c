// `Mode` is an enum that FMI knows nothing of: derive `Enumeration`.
use fmu_runtime::prelude::*;

#[derive(Clone, Copy)]
enum Mode {
    Off,
    On,
}

#[model]
struct Ball {
    #[parameter(start = Mode::On)]
    mode: Mode, //~
    #[output]
    copy: Mode,
}

#[equations]
impl Model for Ball {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { copy: self.mode }
    }
}

fn main() {}
