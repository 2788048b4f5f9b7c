//! Two models with a multistep integrator inside: what jumps of inputs cost, counted.
//!
//! `solver_statistics` makes variables of what the integrator has done: `statistics.steps`, `statistics.evaluations`. A
//! multistep method lives on its history, and an input that jumps at each communication point spoils it.
//!
//! After Andersson 2016, example 6.3.1, equations 6.69 and 6.70; no start values are printed, both states begin at 1.

use fmu_runtime::prelude::*;

/// Decays the faster the larger its input is: x' = -x u^2, y = x.
#[model(
    stop_time = 10.0,
    step_size = 0.02,
    solver = "bdf",
    tolerance = 1e-6,
    solver_parameters,
    solver_statistics
)]
pub struct Driven {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State and output
    #[state(start = 1.0, output)]
    pub x: f64,
}

#[equations]
impl Model for Driven {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: -self.x * self.u * self.u,
        }
    }
}

/// Follows its input, and shows it at once as well: x' = -x + u, y = x + sin u.
#[model(
    stop_time = 10.0,
    step_size = 0.02,
    solver = "bdf",
    tolerance = 1e-6,
    solver_parameters,
    solver_statistics
)]
pub struct Feeding {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State
    #[state(start = 1.0, output)]
    pub x: f64,
    /// State and the sine of the input
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Feeding {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.u - self.x }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.x + self.u.sin(),
        }
    }
}

export_fmu!(Driven, Feeding);
