//! The mechanical side.

use fmu_runtime::prelude::*;

/// A rotating mass with friction in its bearings.
#[model]
pub struct Rotor {
    /// Speed of rotation
    #[state(start = 0.0, unit = "rad/s", display_unit = "rpm")]
    pub speed: f64,
    /// Torque that turns the rotor
    #[input(start = 0.0, unit = "N.m")]
    pub torque: f64,
    /// Moment of inertia
    #[parameter(start = 5e-4, unit = "kg.m2", min = 1e-9)]
    pub inertia: f64,
    /// Friction torque per speed
    #[parameter(start = 1e-4, unit = "N.m.s/rad", min = 0.0)]
    pub friction: f64,
}

#[equations]
impl Model for Rotor {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            speed: (self.torque - self.friction * self.speed) / self.inertia,
        }
    }
}
