// A typo in an option: the right word is proposed, and the start value is not missed too.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(strat = 1.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
