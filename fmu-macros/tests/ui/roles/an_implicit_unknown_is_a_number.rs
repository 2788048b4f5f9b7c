// No residual determines a Boolean.
use fmu_runtime::prelude::*;

#[model]
struct Diode {
    #[implicit(start = false)]
    v: bool, //~
}

#[equations]
impl Model for Diode {
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> { v: 0.0 }
    }
}

fn main() {}
