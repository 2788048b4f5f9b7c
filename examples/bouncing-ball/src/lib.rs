//! A ball that falls, bounces and comes to rest: state events.

use fmu_runtime::prelude::*;

/// A ball that falls under gravity, bounces, and comes to rest.
#[model(stop_time = 3.0, step_size = 0.01)]
pub struct BouncingBall {
    /// Height above the ground
    // Solvers take `nominal` for the scale of their tolerance: without it the last bounces are lower than what they resolve.
    #[state(start = 1.0, unit = "m", nominal = 1e-3, output)]
    h: f64,
    /// Velocity, positive upwards
    #[state(start = 0.0, unit = "m/s", output)]
    v: f64,
    /// Gravitational acceleration
    #[parameter(start = -9.81, unit = "m/s2")]
    g: f64,
    /// Coefficient of restitution
    #[parameter(start = 0.7, min = 0.0, max = 1.0, tunable)]
    e: f64,
    /// Lying on the ground
    #[discrete(start = false, output)]
    resting: bool,
}

#[equations]
impl Model for BouncingBall {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: self.v,
            v: if self.resting { 0.0 } else { self.g },
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [if self.resting { 1.0 } else { self.h }]
    }

    fn event(&mut self, _at: Event) {
        // A ball that hardly rises rests, too: so it never falls through the ground, whatever a solver resolves.
        if self.h <= 0.0 && self.v < 1e-3 {
            self.h = 0.0;
            self.v *= -self.e;
            self.resting = self.v < 1e-3;
            if self.resting {
                self.v = 0.0;
            }
        }
    }
}

export_fmu!(BouncingBall);

#[cfg(test)]
mod tests;
