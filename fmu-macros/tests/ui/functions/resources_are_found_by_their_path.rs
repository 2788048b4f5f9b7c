// `fn instantiate` receives the path of the resources.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }


    fn instantiate(&mut self) -> Result<(), ModelError> { //~
        Ok(())
    }
}

fn main() {}
