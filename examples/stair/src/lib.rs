//! A count that goes up every second: time events, an integer output, and an end that the model decides.
//!
//! `fn next_event_time` announces when something happens by itself; the simulation stops exactly there and calls
//! `fn event`, which may change discrete variables. A `#[discrete]` field keeps its value between events.

use fmu_runtime::prelude::*;

/// Climbs a stair, one step per second, and ends the simulation at the top.
#[model(stop_time = 12.0, step_size = 0.2)]
pub struct Stair {
    /// Steps climbed so far
    #[discrete(start = 0, min = 0, output)]
    pub count: i32,
    /// Steps of the stair
    #[parameter(start = 10, min = 1)]
    pub steps: i32,
    /// Time of the next step
    #[discrete(start = 0.0, unit = "s")]
    pub next_step: f64,
}

#[equations]
impl Model for Stair {
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.next_step)
    }

    fn event(&mut self, at: Event) -> Next {
        // The first event comes at the start, whenever that is.
        if at.initial {
            self.next_step = at.time + 1.0;
        }
        // An event may have other reasons than the time: an input that jumps, another model.
        if at.scheduled {
            self.count += 1;
            self.next_step += 1.0;
        }
        if self.count < self.steps {
            Next::Continue
        } else {
            Next::Terminate
        }
    }
}

export_fmu!(Stair);
