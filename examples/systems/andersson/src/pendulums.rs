//! A double pendulum in two halves (example 6.2.1): accelerations go down, forces come up, and both feed through.

use fmu_runtime::prelude::*;

/// The upper pendulum (equations 6.56 and 6.57): forces at its end in, accelerations of its end out.
///
/// As printed, the accelerations leave out what the damper does, so the coupled system is not quite the double pendulum
/// of mechanics; it is what a reference has to solve, too.
#[model(stop_time = 10.0, step_size = 0.01, tolerance = 1e-8)]
pub struct UpperPendulum {
    /// Horizontal force
    #[input(start = 0.0, unit = "N")]
    pub u1: f64,
    /// Vertical force
    #[input(start = 0.0, unit = "N")]
    pub u2: f64,
    /// Angle from hanging straight down
    #[state(start = -1.0, unit = "rad", output)]
    pub alpha: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s")]
    pub omega: f64,
    /// Horizontal acceleration
    #[output(unit = "m/s2")]
    pub y1: f64,
    /// Vertical acceleration
    #[output(unit = "m/s2")]
    pub y2: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m", min = 1e-3)]
    pub l: f64,
    /// Mass
    #[parameter(start = 1.0, unit = "kg", min = 1e-3)]
    pub m: f64,
    /// Damping
    #[parameter(start = 0.5, unit = "N.m.s/rad", min = 0.0)]
    pub d: f64,
    /// Gravity
    #[constant(start = 9.81, unit = "m/s2")]
    pub g: f64,
}

#[equations]
impl Model for UpperPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            alpha: self.omega,
            omega: (self.pull() * self.l - self.d * self.omega) / (self.m * self.l * self.l),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let centripetal = self.omega * self.omega * self.l;
        Outputs::<Self> {
            y1: self.alpha.cos() / self.m * self.pull() - centripetal * self.alpha.sin(),
            y2: self.alpha.sin() / self.m * self.pull() + centripetal * self.alpha.cos(),
        }
    }
}

#[equations]
impl UpperPendulum {
    /// The force across the rod.
    fn pull(&self) -> f64 {
        self.u1 * self.alpha.cos() + (self.u2 - self.m * self.g) * self.alpha.sin()
    }
}

/// The lower pendulum (equations 6.58 and 6.59): accelerations of its pivot in, forces on its pivot out.
#[model(stop_time = 10.0, step_size = 0.01, tolerance = 1e-8)]
pub struct LowerPendulum {
    /// Horizontal acceleration
    #[input(start = 0.0, unit = "m/s2")]
    pub u1: f64,
    /// Vertical acceleration
    #[input(start = 0.0, unit = "m/s2")]
    pub u2: f64,
    /// Angle from hanging straight down
    #[state(start = 0.3, unit = "rad", output)]
    pub alpha: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s")]
    pub omega: f64,
    /// Horizontal force
    #[output(unit = "N")]
    pub y1: f64,
    /// Vertical force
    #[output(unit = "N")]
    pub y2: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m", min = 1e-3)]
    pub l: f64,
    /// Mass
    #[parameter(start = 1.5, unit = "kg", min = 1e-3)]
    pub m: f64,
    /// Gravity
    #[constant(start = 9.81, unit = "m/s2")]
    pub g: f64,
}

#[equations]
impl Model for LowerPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let (sin, cos) = (self.alpha.sin(), self.alpha.cos());
        Derivatives::<Self> {
            alpha: self.omega,
            omega: (-self.g * sin - self.u1 * cos - self.u2 * sin) / self.l,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let (sin, cos) = (self.alpha.sin(), self.alpha.cos());
        let centripetal = self.l * self.omega * self.omega;
        let tension = self.m * (centripetal + self.g * cos - self.u1 * sin + self.u2 * cos);
        Outputs::<Self> {
            y1: tension * sin,
            y2: -tension * cos,
        }
    }
}
