// `damping` takes an f64 and nothing else: mark it `#[differentiable]`, or go through `opaque`.
use fmu_runtime::prelude::*;

fn damping(x: f64) -> f64 {
    -2.0 * x
}

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: damping(self.x), //~
        }
    }
}

fn main() {}
