//! A division by an input: a master that asks for the output before the input is known divides by zero.

use fmu_runtime::prelude::*;

/// The second model of example 5.0.1 (equations 5.2): x' = x + u, y = x / u.
#[model(stop_time = 0.5, step_size = 0.01, tolerance = 1e-9)]
pub struct Quotient {
    /// Divisor
    #[input(start = 0.0)]
    pub u: f64,
    /// Dividend
    #[state(start = -1.0)]
    pub x: f64,
    /// Quotient
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Quotient {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x + self.u }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: self.x / self.u }
    }
}
