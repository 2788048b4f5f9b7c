// Two categories of one name.
use fmu_runtime::prelude::*;

#[model(log_categories(
    "valve" = "Valve movements",
    "valve" = "More of them", //~
))]
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
