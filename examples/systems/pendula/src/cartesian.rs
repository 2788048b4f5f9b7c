//! A pendulum by the position of its bob.

use fmu_runtime::prelude::*;

/// How fast what rounding and the integrator leave of the constraint decays, in 1/s.
const DECAY: f64 = 10.0;

/// A pendulum of 1 kg and 1 m in Cartesian coordinates (Pannu 2015, equation 14).
///
/// The constraint c = (x1^2 + x2^2 - 1) / 2 = 0 is an ordinary differential equation once it is differentiated twice:
/// c'' = 0 gives the force in the rod. What is solved is c'' + 2 d c' + d^2 c = 0, which has the same solution and
/// lets errors of the constraint decay (Baumgarte 1972).
#[model(stop_time = 5.0, step_size = 0.01, tolerance = 1e-8)]
pub struct CartesianPendulum {
    /// What the motion of the pivot does to the bob: the opposite of the pivot's acceleration
    #[input(start = 0.0, unit = "m/s2")]
    pub u1: f64,
    /// Horizontal force on the bob
    #[input(start = 0.0, unit = "N")]
    pub u2: f64,
    /// Vertical force on the bob
    #[input(start = 0.0, unit = "N")]
    pub u3: f64,
    /// Horizontal position from the pivot
    #[state(start = 1.0, unit = "m", output)]
    pub x1: f64,
    /// Vertical position from the pivot
    #[state(start = 0.0, unit = "m", output)]
    pub x2: f64,
    /// Horizontal velocity
    #[state(start = 0.0, unit = "m/s")]
    pub x3: f64,
    /// Vertical velocity
    #[state(start = 0.0, unit = "m/s")]
    pub x4: f64,
    /// Gravity
    #[parameter(start = 9.81, unit = "m/s2")]
    pub g: f64,
}

#[equations]
impl Model for CartesianPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let (pull_x, pull_y) = (self.u1 + self.u2, self.u3 - self.g);
        let length2 = self.x1 * self.x1 + self.x2 * self.x2;
        let speed2 = self.x3 * self.x3 + self.x4 * self.x4;
        let (c, c_dot) = (0.5 * (length2 - 1.0), self.x1 * self.x3 + self.x2 * self.x4);
        let along = self.x1 * pull_x + self.x2 * pull_y;
        let twice_lambda = (along + speed2 + 2.0 * DECAY * c_dot + DECAY * DECAY * c) / length2;
        Derivatives::<Self> {
            x1: self.x3,
            x2: self.x4,
            x3: pull_x - self.x1 * twice_lambda,
            x4: pull_y - self.x2 * twice_lambda,
        }
    }
}
