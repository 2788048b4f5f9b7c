// Where does the iteration begin?
use fmu_runtime::prelude::*;

#[model]
struct Diode {
    #[implicit(unit = "V")] //~
    v: f64,
}

#[equations]
impl Model for Diode {
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> { v: self.v.exp() - 2.0 }
    }
}

fn main() {}
