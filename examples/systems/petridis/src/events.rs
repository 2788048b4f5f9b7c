//! Digital and analog parts, and a solution that depends on its own past.

use fmu_runtime::prelude::*;

/// A room that loses heat, and is heated while a switch is on: T' = (ambient - T) / tau + heating.
#[model(stop_time = 10.0, step_size = 0.1, tolerance = 1e-9)]
pub struct Room {
    /// The heating is on
    #[input(start = false)]
    pub on: bool,
    /// Temperature
    #[state(start = 15.0, unit = "degC", output, nominal = 10.0)]
    pub temperature: f64,
    /// Temperature outside
    #[parameter(start = 10.0, unit = "degC")]
    pub ambient: f64,
    /// Time constant
    #[parameter(start = 5.0, unit = "s", min = 1e-3)]
    pub tau: f64,
    /// How fast the heating warms
    #[parameter(start = 4.0, unit = "K/s")]
    pub heating: f64,
}

#[equations]
impl Model for Room {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let heating = if self.on { self.heating } else { 0.0 };
        Derivatives::<Self> {
            temperature: (self.ambient - self.temperature) / self.tau + heating,
        }
    }
}

/// A switch with two limits: on below the lower one, off above the upper one, and as it was between them.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct Thermostat {
    /// What is measured
    #[input(start = 15.0, unit = "degC")]
    pub temperature: f64,
    /// The heating is on
    #[discrete(start = true, output)]
    pub on: bool,
    /// Below this it is switched on
    #[parameter(start = 19.0, unit = "degC")]
    pub low: f64,
    /// Above this it is switched off
    #[parameter(start = 21.0, unit = "degC")]
    pub high: f64,
}

#[equations]
impl Model for Thermostat {
    fn event_indicators(&self, _t: f64) -> [f64; 2] {
        [self.temperature - self.low, self.temperature - self.high]
    }

    fn event(&mut self, _at: Event) {
        if self.temperature >= self.high {
            self.on = false;
        } else if self.temperature <= self.low {
            self.on = true;
        }
    }
}

/// Seconds that a retarded solution is followed, and one more than the degree of its last polynomial
const PIECES: usize = 9;

/// A retarded equation: x'(t) = -x(t - 1), with x = 1 before t = 0. On each second x is a polynomial, so its past is one.
#[model(stop_time = 8.0, step_size = 0.1, tolerance = 1e-9)]
pub struct Retarded {
    /// The solution
    #[state(start = 1.0, output)]
    pub x: f64,
    /// The solution one second ago, as a polynomial in the time since the last event
    #[discrete(start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])]
    pub past: [f64; PIECES],
    /// The solution at the last event
    #[discrete(start = 1.0)]
    pub at_event: f64,
    /// The time of the last event
    #[discrete(start = 0.0, unit = "s")]
    pub since: f64,
}

#[equations]
impl Model for Retarded {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        let s = t - self.since;
        let past = self.past.iter().rev().fold(0.0, |sum, factor| sum * s + *factor);
        Derivatives::<Self> { x: -past }
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            // What it was in the second that ends here: its beginning, less the integral of its own past.
            let mut past = [self.at_event; PIECES];
            for (power, factor) in past.iter_mut().enumerate().skip(1) {
                *factor = -self.past[power - 1] / power as f64;
            }
            (self.past, self.at_event) = (past, self.x);
            self.since += 1.0;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.since + 1.0)
    }
}
