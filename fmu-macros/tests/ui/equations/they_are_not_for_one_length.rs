// `Rod<10>` is one of many.
use fmu_runtime::prelude::*;

#[model]
struct Rod<const N: usize> {
    #[state(start = 1.0)]
    x: [f64; N],
}

#[equations]
impl Model for Rod<10> { //~
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

export_fmu!(Rod<10>);

fn main() {}
