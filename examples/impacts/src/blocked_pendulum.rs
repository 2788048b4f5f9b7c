//! A pendulum that a wall blocks (Andersson 2016, section 8.3, equations 8.5 to 8.8).

use fmu_runtime::prelude::*;

/// The angle of the wall
pub const WALL: f64 = -0.75 * std::f64::consts::PI;

/// A bell: a pendulum that bounces off a wall and loses nothing.
#[model(stop_time = 10.0, step_size = 0.01)]
#[derive(Debug)]
pub struct BlockedPendulum {
    /// Angle; 0 hangs down
    #[state(start = 2.7, unit = "rad", output)]
    pub theta: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s", output)]
    pub omega: f64,
    /// Gravity
    #[parameter(start = 9.81, unit = "m/s2", min = 0.0)]
    pub g0: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m", min = 1e-3)]
    pub l: f64,
    /// Impacts so far
    #[discrete(start = 0, output)]
    pub impacts: i32,
}

#[equations]
impl Model for BlockedPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            theta: self.omega,
            omega: -self.g0 / self.l * self.theta.sin(),
        }
    }

    /// Equation 8.7. The runtime keeps an indicator that was crossed on its side until the pendulum has left the wall, so
    /// no step event has to switch it off and on again, as the thesis needs it.
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.theta - WALL]
    }

    fn event(&mut self, _at: Event) {
        if self.theta <= WALL && self.omega < 0.0 {
            self.omega = -self.omega;
            self.impacts += 1;
        }
    }
}
