// `logEvents` is a category of every FMU.
use fmu_runtime::prelude::*;

#[model(log_categories("logEvents" = "Events"))] //~
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

fn main() {}
