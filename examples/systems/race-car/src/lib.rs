//! The shape of a race car: a chassis and four wheels, 43 signals with each, and work that can be chosen.
//!
//! After Andersson 2016, section 5.3.2: five models, 172 connections, feed-through in the wheels, no loop. The physics is
//! ours and small: at each corner a mass that the wheel's forces carry, seen in 24 directions and carried by 19 forces. What
//! a step costs is set by `solver.max_step` (`#[model(solver_parameters)]`), as in a car whose tyres need small steps.

use fmu_runtime::prelude::*;

/// Signals from the chassis to a wheel
pub const MOTIONS: usize = 24;
/// Signals from a wheel to the chassis
pub const FORCES: usize = 19;

/// The chassis: four corners that move up and down.
#[model(
    stop_time = 1.0,
    step_size = 0.01,
    solver = "rk4",
    max_step = 1e-3,
    solver_parameters
)]
pub struct RaceChassis {
    /// Forces of the wheels, a row a wheel
    #[input(start = [[0.0; FORCES]; 4], unit = "N")]
    pub force: [[f64; FORCES]; 4],
    /// Height of each corner
    #[state(start = [0.01, 0.02, 0.03, 0.04], unit = "m")]
    pub height: [f64; 4],
    /// How fast each corner rises
    #[state(start = [0.0; 4], unit = "m/s")]
    pub speed: [f64; 4],
    /// Motion of the corners in many directions, a row a wheel
    #[output]
    pub motion: [[f64; MOTIONS]; 4],
    /// Mass at each corner
    #[parameter(start = 100.0, unit = "kg", min = 1.0)]
    pub mass: f64,
}

#[equations]
impl Model for RaceChassis {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let force = |corner: usize| self.force[corner].iter().fold(0.0, |sum, force| sum + *force);
        let speed = std::array::from_fn(|corner| force(corner) / self.mass);
        Derivatives::<Self> {
            height: self.speed,
            speed,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        // Even directions are heights, odd ones speeds, in equal parts.
        let of_corner = |corner: usize| {
            std::array::from_fn(|direction| match direction % 2 {
                0 => self.height[corner],
                _ => self.speed[corner],
            })
        };
        let motion = std::array::from_fn(of_corner);
        Outputs::<Self> { motion }
    }
}

/// A wheel: a spring, a damper, and a tyre that follows with a delay.
#[model(
    stop_time = 1.0,
    step_size = 0.01,
    solver = "rk4",
    max_step = 1e-3,
    solver_parameters
)]
pub struct RaceWheel {
    /// Motion of the hub: heights and speeds in turn
    #[input(start = [0.0; MOTIONS])]
    pub motion: [f64; MOTIONS],
    /// What the tyre has yielded
    #[state(start = 0.0, unit = "m")]
    pub tyre: f64,
    /// Forces on the hub, in equal parts
    #[output(unit = "N")]
    pub force: [f64; FORCES],
    /// Stiffness of spring and tyre
    #[parameter(start = 1e4, unit = "N/m", min = 0.0)]
    pub stiffness: f64,
    /// Damping
    #[parameter(start = 1e3, unit = "N.s/m", min = 0.0)]
    pub damping: f64,
    /// Delay of the tyre
    #[parameter(start = 0.05, unit = "s", min = 1e-3)]
    pub delay: f64,
}

#[equations]
impl Model for RaceWheel {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            tyre: (0.5 * self.height() - self.tyre) / self.delay,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let all = -self.stiffness * (self.height() - self.tyre) - self.damping * self.rise();
        Outputs::<Self> {
            force: [all / 19.0; FORCES],
        }
    }
}

#[equations]
impl RaceWheel {
    fn height(&self) -> f64 {
        self.motion
            .iter()
            .step_by(2)
            .fold(0.0, |sum, height| sum + *height)
            / 12.0
    }

    fn rise(&self) -> f64 {
        self.motion
            .iter()
            .skip(1)
            .step_by(2)
            .fold(0.0, |sum, speed| sum + *speed)
            / 12.0
    }
}

export_fmu!(RaceChassis, RaceWheel);
