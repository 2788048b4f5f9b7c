// One of two residuals is missing.
use fmu_runtime::prelude::*;

#[model]
struct Diode {
    #[implicit(start = 0.6)]
    v: f64,
    #[implicit(start = 0.6)]
    w: f64,
}

#[equations]
impl Model for Diode {
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> { v: self.v.exp() - 2.0 } //~
    }
}

fn main() {}
