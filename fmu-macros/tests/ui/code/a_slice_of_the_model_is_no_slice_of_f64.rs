// The function takes plain numbers: mark it `#[differentiable]`.
use fmu_runtime::prelude::*;

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

#[model]
struct Ball {
    #[state(start = 1.0)]
    x: [f64; 3],
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let mean = mean(&self.x); //~
        Derivatives::<Self> {
            x: [mean - self.x[0], mean - self.x[1], mean - self.x[2]],
        }
    }
}

fn main() {}
