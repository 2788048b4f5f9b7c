//! A sampled controller: everything happens at events, and nothing in between.
//!
//! Inputs and outputs are `discrete`: the world is looked at when a sample is due, and the answer holds until the next.
//! What the controller remembers are `#[discrete]` fields, so a snapshot of the FMU has them. There is no state and no
//! derivative: a pure discrete-time FMU. `log!` sends a message to the tools that have enabled its category.

use fmu_runtime::prelude::*;

/// A proportional-integral controller that samples at a fixed rate.
#[model(
    stop_time = 5.0,
    step_size = 0.1,
    log_categories("samples" = "What each sample saw and did")
)]
pub struct Controller {
    /// What shall be
    #[input(discrete, start = 1.0)]
    pub reference: f64,
    /// What is
    #[input(discrete, start = 0.0)]
    pub measurement: f64,
    /// What to do about it
    #[discrete(start = 0.0, output)]
    pub command: f64,
    /// Sample time
    #[parameter(start = 0.1, unit = "s", min = 1e-6)]
    pub ts: f64,
    /// Proportional gain
    #[parameter(start = 2.0, tunable)]
    pub kp: f64,
    /// Integral gain
    #[parameter(start = 0.5, unit = "1/s", tunable)]
    pub ki: f64,
    /// Sum of the errors, each times the sample time
    #[discrete(start = 0.0, unit = "s")]
    pub integral: f64,
    /// Samples taken so far
    #[discrete(start = 0, output)]
    pub samples: i32,
    /// Time of the first sample
    #[discrete(start = 0.0, unit = "s")]
    pub first: f64,
}

#[equations]
impl Model for Controller {
    fn event(&mut self, at: Event) {
        if at.initial {
            self.first = at.time;
        }
        // A reference that jumps between two samples is an event, too, but no reason to sample.
        if at.initial || at.scheduled {
            let error = self.reference - self.measurement;
            self.integral += self.ts * error;
            self.command = self.kp * error + self.ki * self.integral;
            self.samples += 1;
            log!("samples", "error {error}, command {}", self.command);
        }
    }

    // A multiple of the sample time, not a sum: rounding errors do not pile up.
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.first + f64::from(self.samples) * self.ts)
    }
}

export_fmu!(Controller);
