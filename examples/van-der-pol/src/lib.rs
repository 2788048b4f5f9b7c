//! An oscillator that can be pushed: two states, a parameter, an input.
//!
//! An `#[input]` is set by the tool that runs the FMU, at any time; a `#[parameter]` is set once, before the start. Equations
//! read both as fields. Either may be put anywhere into the equations: the FMU's derivatives by them are exact.

use fmu_runtime::prelude::*;

/// The Van der Pol oscillator: damped where it is far out, driven where it is near the middle.
#[model(stop_time = 20.0, step_size = 0.01)]
pub struct VanDerPol {
    /// Displacement
    #[state(start = 2.0, output)]
    pub x0: f64,
    /// Velocity
    #[state(start = 0.0, output)]
    pub x1: f64,
    /// Strength of the damping; 0 leaves a harmonic oscillator
    #[parameter(start = 1.0, min = 0.0)]
    pub mu: f64,
    /// Acceleration from outside
    #[input(start = 0.0)]
    pub u: f64,
}

#[equations]
impl Model for VanDerPol {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x0: self.x1,
            x1: self.mu * ((1.0 - self.x0 * self.x0) * self.x1) - self.x0 + self.u,
        }
    }
}

export_fmu!(VanDerPol);
