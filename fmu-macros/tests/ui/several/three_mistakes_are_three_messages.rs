// A unit, a start value and a role: all three are reported at once.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0, unit = "metre")] //~
    h: f64,
    #[state(start = 0)] //~
    v: f64,
    #[paramter(start = 9.81)] //~
    g: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { h: self.v, v: -self.g }
    }
}

export_fmu!(Ball);

fn main() {}
