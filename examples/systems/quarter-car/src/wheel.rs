//! The wheel: a mass between the tyre, a spring, and the suspension.

use fmu_runtime::prelude::*;

/// The wheel of a quarter car, on a road that is a step of `road` high (Andersson 2016, equation 9.11b).
#[model(stop_time = 1.0, step_size = 0.001)]
pub struct Wheel {
    /// Height of the chassis above its rest
    #[input(start = 0.0, unit = "m")]
    pub x_chassis: f64,
    /// Velocity of the chassis
    #[input(start = 0.0, unit = "m/s")]
    pub v_chassis: f64,
    /// Height of the wheel above its rest
    #[state(start = 0.0, unit = "m", nominal = 0.1, output)]
    pub x: f64,
    /// Velocity of the wheel
    #[state(start = 0.0, unit = "m/s", nominal = 2.0, output)]
    pub v: f64,
    /// Mass of the wheel
    #[parameter(start = 40.0, unit = "kg", min = 1.0)]
    pub mass: f64,
    /// Stiffness of the tyre
    #[parameter(start = 150e3, unit = "N/m", min = 0.0)]
    pub tyre_stiffness: f64,
    /// Stiffness of the suspension
    #[parameter(start = 15e3, unit = "N/m", min = 0.0)]
    pub stiffness: f64,
    /// Damping of the suspension
    #[parameter(start = 1e3, unit = "N.s/m", min = 0.0)]
    pub damping: f64,
    /// Height of the road
    #[parameter(start = 0.1, unit = "m")]
    pub road: f64,
}

#[equations]
impl Model for Wheel {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let tyre = self.tyre_stiffness * (self.road - self.x);
        let suspension =
            self.stiffness * (self.x_chassis - self.x) + self.damping * (self.v_chassis - self.v);
        Derivatives::<Self> {
            x: self.v,
            v: (tyre + suspension) / self.mass,
        }
    }
}
