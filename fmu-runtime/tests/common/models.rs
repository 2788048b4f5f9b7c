//! Models for co-simulation.

use fmu_runtime::prelude::*;

/// A ball that falls under gravity, bounces, and comes to rest.
#[model]
#[derive(Debug)]
pub struct Ball {
    /// Height
    #[state(start = 1.0)]
    pub h: f64,
    /// Velocity
    #[state(start = 0.0)]
    pub v: f64,
    /// Lying on the ground
    #[discrete(start = false)]
    pub resting: bool,
}

pub const GRAVITY: f64 = 9.81;
pub const RESTITUTION: f64 = 0.7;

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: self.v,
            v: if self.resting { 0.0 } else { -GRAVITY },
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [if self.resting { 1.0 } else { self.h }]
    }

    fn event(&mut self, _at: Event) {
        if self.h <= 0.0 && self.v < 0.0 {
            self.h = 0.0;
            self.v *= -RESTITUTION;
            self.resting = self.v < 1e-3;
            if self.resting {
                self.v = 0.0;
            }
        }
    }
}

/// A driven oscillator with a sampled force: inputs as curves, time events, outputs with feed-through.
#[model]
#[derive(Debug)]
pub struct Oscillator {
    /// Position
    #[state(start = 1.0)]
    pub x: f64,
    /// Velocity
    #[state(start = 0.0)]
    pub v: f64,
    /// Force
    #[input(start = 0.0)]
    pub u: f64,
    /// Sampled position
    #[discrete(start = 0.0)]
    pub sample: f64,
    /// Samples taken
    #[discrete(start = 0)]
    pub samples: i32,
    /// Power of the force
    #[output]
    pub power: f64,
}

#[equations]
impl Model for Oscillator {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.v,
            v: self.u - 4.0 * self.x.sin() - 0.1 * self.v - 0.5 * self.sample + 0.1 * (2.0 * t).cos(),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            power: self.u * self.v,
        }
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.sample = self.x;
            self.samples += 1;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(0.25 * f64::from(self.samples + 1))
    }
}

/// Slides along x = 0: its two modes drive it back and forth.
#[model]
#[derive(Debug)]
pub struct Chatter {
    /// Position
    #[state(start = 1.0)]
    pub x: f64,
    /// Driven upwards
    #[discrete(start = false)]
    pub up: bool,
}

#[equations]
impl Model for Chatter {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: if self.up { 1.0 } else { -1.0 },
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.x]
    }

    fn event(&mut self, _at: Event) {
        self.up = self.x <= 0.0;
    }
}

/// Ends the simulation when its state falls through 0.5; fails beyond an input of 1.
#[model]
#[derive(Debug)]
pub struct Ending {
    /// Amount
    #[state(start = 1.0)]
    pub x: f64,
    /// Limit of what is computed
    #[input(start = 0.0)]
    pub limit: f64,
}

#[equations]
impl Model for Ending {
    fn derivatives(&self, t: f64) -> Result<Derivatives<Self>, ModelError> {
        if self.limit > 0.0 && t > self.limit {
            return Err(ModelError::new("nothing is known beyond the limit").recoverable());
        }
        Ok(Derivatives::<Self> { x: -self.x })
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.x - 0.5]
    }

    fn event(&mut self, _at: Event) -> Next {
        if self.x < 0.5 {
            Next::Terminate
        } else {
            Next::Continue
        }
    }
}

/// Counts integrator steps, and asks for an event after every tenth.
#[model]
#[derive(Debug)]
pub struct Steps {
    /// Something to integrate
    #[state(start = 1.0)]
    pub x: f64,
    /// Steps
    #[discrete(start = 0)]
    pub steps: i32,
    /// Step events
    #[discrete(start = 0)]
    pub events: i32,
}

#[equations]
impl Model for Steps {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }

    fn completed_step(&mut self, _t: f64) -> bool {
        self.steps += 1;
        self.steps % 10 == 0
    }

    fn event(&mut self, at: Event) {
        if at.step {
            self.events += 1;
        }
    }
}

/// Falls steadily, and is watched by something that does not see it between 0.4 and 0.6
#[model]
#[derive(Debug)]
pub struct Gap {
    /// Height
    #[state(start = 1.0)]
    pub h: f64,
    /// Events
    #[discrete(start = 0)]
    pub events: i32,
    /// Height at the last event
    #[discrete(start = 0.0)]
    pub seen: f64,
}

#[equations]
impl Model for Gap {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { h: -1.0 }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        let hidden = self.h > 0.4 && self.h < 0.6;
        [if hidden { f64::NAN } else { self.h - 0.5 }]
    }

    fn event(&mut self, at: Event) {
        if !at.initial {
            self.events += 1;
            self.seen = self.h;
        }
    }
}
