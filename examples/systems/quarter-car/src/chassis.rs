//! The chassis: a mass on the suspension.

use fmu_runtime::prelude::*;

/// The body of a quarter car (Andersson 2016, equation 9.11a).
#[model(stop_time = 1.0, step_size = 0.001)]
pub struct Chassis {
    /// Height of the wheel above its rest
    #[input(start = 0.0, unit = "m")]
    pub x_wheel: f64,
    /// Velocity of the wheel
    #[input(start = 0.0, unit = "m/s")]
    pub v_wheel: f64,
    /// Height of the chassis above its rest
    #[state(start = 0.0, unit = "m", nominal = 0.1, output)]
    pub x: f64,
    /// Velocity of the chassis
    #[state(start = 0.0, unit = "m/s", nominal = 0.5, output)]
    pub v: f64,
    /// Mass of the chassis
    #[parameter(start = 400.0, unit = "kg", min = 1.0)]
    pub mass: f64,
    /// Stiffness of the suspension
    #[parameter(start = 15e3, unit = "N/m", min = 0.0)]
    pub stiffness: f64,
    /// Damping of the suspension
    #[parameter(start = 1e3, unit = "N.s/m", min = 0.0)]
    pub damping: f64,
}

#[equations]
impl Model for Chassis {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let suspension = self.stiffness * (self.x_wheel - self.x) + self.damping * (self.v_wheel - self.v);
        Derivatives::<Self> {
            x: self.v,
            v: suspension / self.mass,
        }
    }
}
