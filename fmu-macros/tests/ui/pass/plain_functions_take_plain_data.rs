// Data that is not a number of the model may be passed to any function, and the result is a number like others.
use fmu_runtime::prelude::*;

fn half(x: f64) -> f64 {
    0.5 * x
}

fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}

#[differentiable]
fn product(a: f64, b: f64) -> f64 {
    a * b
}

#[model]
struct Scaled {
    #[state(start = 2.0)]
    x: f64,
    #[internal(default = 3.0)]
    scale: f64,
    #[internal(default = vec![1.0, 3.0])]
    table: Vec<f64>,
}

#[equations]
impl Model for Scaled {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let offset: f64 = half(self.scale);
        let middle = mean(&self.table);
        let last = self.table[self.table.len() - 1];
        Derivatives::<Self> {
            x: self.scale * self.x + offset + middle * self.x - last / self.x + product(self.scale, self.x),
        }
    }
}

fn main() {
    assert_eq!(Scaled::default().derivatives(0.0).x, 6.0 + 1.5 + 4.0 - 1.5 + 6.0);
}
