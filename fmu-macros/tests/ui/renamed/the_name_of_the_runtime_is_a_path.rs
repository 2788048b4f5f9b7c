// `crate` names the runtime as Cargo.toml does: letters, digits, underscores, and `::` between modules.
use fmu_runtime::prelude::*;

#[model(crate = "fmu-runtime")] //~
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
