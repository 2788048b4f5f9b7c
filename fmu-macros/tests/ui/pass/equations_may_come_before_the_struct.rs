// The order of struct, equations and export does not matter.
use fmu_runtime::prelude::*;

export_fmu!(Decay);

#[equations]
impl Model for Decay {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

#[model]
struct Decay {
    #[state(start = 2.0)]
    x: f64,
}

fn main() {
    assert_eq!(Decay::default().derivatives(0.0).x, -2.0);
}
