// `to_bits` is a method of f64 that no other number has.
use fmu_runtime::prelude::*;

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let odd = self.x.to_bits() % 2 == 1; //~
        Derivatives::<Self> {
            x: if odd { 1.0 } else { 0.0 },
        }
    }
}

fn main() {}
