//! The smallest model: one state, one parameter, one equation.
//!
//! A field with `#[state]` is a number that an integrator follows through time. `fn derivatives` says how fast it
//! changes, and the FMU has a variable `der(x)` for that automatically. The doc comments become the descriptions.

use fmu_runtime::prelude::*;

/// Dahlquist's test equation, der(x) = -k x: an exponential decay.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct Dahlquist {
    /// What decays
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Rate of decay
    #[parameter(start = 1.0, unit = "1/s")]
    pub k: f64,
}

#[equations]
impl Model for Dahlquist {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.k * self.x }
    }
}

export_fmu!(Dahlquist);
