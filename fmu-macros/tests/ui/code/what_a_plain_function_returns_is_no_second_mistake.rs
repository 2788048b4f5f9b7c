// The result is used at once, on the left of an operator, and as an argument.
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
        let y = damping(self.x); //~
        Derivatives::<Self> {
            x: y * self.x + y.max(self.x),
        }
    }
}

fn main() {}
