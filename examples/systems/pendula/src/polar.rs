//! A pendulum by its angle.

use fmu_runtime::prelude::*;

/// A pendulum of 1 kg and 1 m in polar coordinates (Pannu 2015, equation 22).
#[model(stop_time = 5.0, step_size = 0.01, tolerance = 1e-8)]
pub struct PolarPendulum {
    /// What the motion of the pivot does to the bob: the opposite of the pivot's acceleration
    #[input(start = 0.0, unit = "m/s2")]
    pub u1: f64,
    /// Horizontal force on the bob
    #[input(start = 0.0, unit = "N")]
    pub u2: f64,
    /// Vertical force on the bob
    #[input(start = 0.0, unit = "N")]
    pub u3: f64,
    /// Angle from hanging down
    #[state(start = std::f64::consts::FRAC_PI_2, unit = "rad", output)]
    pub phi: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s")]
    pub omega: f64,
    /// Gravity
    #[parameter(start = 9.81, unit = "m/s2")]
    pub g: f64,
}

#[equations]
impl Model for PolarPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            phi: self.omega,
            omega: (self.u3 - self.g) * self.phi.sin() + (self.u1 + self.u2) * self.phi.cos(),
        }
    }
}
