// `Rod` has a const parameter, and the impl must have it too, default or not.
use fmu_runtime::prelude::*;

#[model]
struct Rod<const N: usize = 10> {
    #[state(start = 1.0)]
    x: [f64; N],
}

#[equations]
impl Model for Rod { //~
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

export_fmu!(Rod);

fn main() {}
