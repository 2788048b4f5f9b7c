//! A servo drive under two sampled controllers: speed every millisecond, position every ten.
//!
//! A function with `#[sampled]` runs at its samples, and contains the difference equation and nothing else: no counter, no
//! `fn next_event_time`, no `fn event`. Here the functions leave the period to the model around them, which declares it on the
//! part. Sample k comes at `start + offset + k period`, without drift. Samples of both rates that fall together are one event,
//! in the order of the parts: the speed controller sees the speed that the position controller has just asked for.

use fmu_runtime::prelude::*;

/// A proportional controller of the position.
#[model]
pub struct PositionController {
    /// Position that shall be
    #[input(start = 0.0, unit = "rad")]
    pub reference: f64,
    /// Position that is
    #[input(start = 0.0, unit = "rad")]
    pub measurement: f64,
    /// Speed to ask for
    #[discrete(start = 0.0, unit = "rad/s")]
    pub speed: f64,
    /// Gain
    #[parameter(start = 8.0, unit = "1/s", min = 0.0)]
    pub kp: f64,
    /// Largest speed
    #[parameter(start = 5.0, unit = "rad/s", min = 0.0)]
    pub limit: f64,
}

#[equations]
impl Model for PositionController {
    #[sampled]
    fn control(&mut self) {
        let speed = self.kp * (self.reference - self.measurement);
        self.speed = speed.clamp(-self.limit, self.limit);
    }
}

/// A proportional-integral controller of the speed.
#[model]
pub struct SpeedController {
    /// Speed that shall be
    #[input(start = 0.0, unit = "rad/s")]
    pub reference: f64,
    /// Speed that is
    #[input(start = 0.0, unit = "rad/s")]
    pub measurement: f64,
    /// Voltage
    #[discrete(start = 0.0, unit = "V")]
    pub voltage: f64,
    /// Sum of the errors times the integral gain
    #[discrete(start = 0.0, unit = "V")]
    pub integral: f64,
    /// Proportional gain
    #[parameter(start = 2.0, unit = "V.s/rad", min = 0.0)]
    pub kp: f64,
    /// Integral gain per sample
    #[parameter(start = 0.05, unit = "V.s/rad", min = 0.0)]
    pub ki: f64,
}

#[equations]
impl Model for SpeedController {
    #[sampled]
    fn control(&mut self) {
        let error = self.reference - self.measurement;
        self.integral += self.ki * error;
        self.voltage = self.kp * error + self.integral;
    }
}

/// A servo drive with a fast controller of its speed and a slow one of its position.
#[model(stop_time = 2.0, step_size = 0.01, tolerance = 1e-6)]
pub struct TwoRate {
    /// Position that shall be
    #[input(start = 1.0, unit = "rad")]
    pub reference: f64,
    /// Position
    #[state(start = 0.0, unit = "rad", output)]
    pub phi: f64,
    /// Speed
    #[state(start = 0.0, unit = "rad/s", output)]
    pub omega: f64,
    /// Time constant of the motor
    #[parameter(start = 0.05, unit = "s", min = 1e-6)]
    pub tau: f64,
    /// Speed per voltage
    #[parameter(start = 1.5, unit = "rad/(V.s)")]
    pub gain: f64,
    /// Sample time of the position controller
    #[parameter(start = 0.01, unit = "s", min = 1e-6)]
    pub slow: f64,
    /// Sample time of the speed controller
    #[parameter(start = 0.001, unit = "s", min = 1e-6)]
    pub fast: f64,
    /// Controller of the position
    #[part(connect(reference, measurement))]
    #[sampled(period = "slow")]
    pub position: PositionController,
    /// Controller of the speed
    #[part(connect(reference, measurement))]
    #[sampled(period = "fast")]
    pub speed: SpeedController,
}

#[equations]
impl Model for TwoRate {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            phi: self.omega,
            omega: (self.gain * self.speed.voltage - self.omega) / self.tau,
        }
    }

    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            position_reference: self.reference,
            position_measurement: self.phi,
            speed_reference: self.position.speed,
            speed_measurement: self.omega,
        }
    }
}

export_fmu!(TwoRate);
