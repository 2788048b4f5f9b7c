// A typo in an equation: rustc says so once, although the code is compiled for many kinds of numbers.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.rate * self.x } //~
    }
}

fn main() {}
