// A truncated number has lost its derivative: use a table, or `opaque`.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let table = [1.0, 2.0, 3.0];
        Derivatives::<Self> {
            x: table[self.x as usize], //~
        }
    }
}

fn main() {}
