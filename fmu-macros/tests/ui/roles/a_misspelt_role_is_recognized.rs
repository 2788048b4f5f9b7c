// A typo in a role: the right word is proposed, and the equations stay silent.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[sate(start = 1.0)] //~
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
