// The second row has too few values.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = [[1.0, 2.0], [3.0]])] //~
    x: [[f64; 2]; 2],
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

fn main() {}
