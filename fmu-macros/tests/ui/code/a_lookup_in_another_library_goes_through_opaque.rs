// `Spline` is someone else's: its method takes an f64.
use fmu_runtime::prelude::*;

#[derive(Clone, Default)]
struct Spline(f64);

impl Spline {
    fn sample(&self, x: f64) -> f64 {
        self.0 * x
    }
}

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: f64,
    #[internal]
    spline: Spline,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.spline.sample(self.x) * self.x, //~
        }
    }
}

fn main() {}
