// A number of the model may carry derivatives: compare it in a guard.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let x = match self.x {
            0.0 => 1.0, //~
            x => x,
        };
        Derivatives::<Self> { x }
    }
}

fn main() {}
