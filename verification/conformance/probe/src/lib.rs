//! A model that misbehaves on request: it panics, fails, asks for events and logs wherever the C driver
//! (`conformance/driver/probe.c`) requests it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use fmu_runtime::prelude::*;

/// Misbehaves on request.
#[model(
    stop_time = 2.0,
    step_size = 0.1,
    log_categories("probe" = "What the probe is asked to say", "chatter" = "Messages that were not requested")
)]
pub struct Probe {
    /// Grows at the rate k
    #[state(start = 1.0, min = 0.0, max = 5.0, nominal = 2.0, output)]
    x: f64,
    /// Starts at k_squared + u and decays
    #[state(initial = "calculated")]
    y: f64,
    /// Rate of x
    #[parameter(start = 1.0, min = 0.0, max = 10.0)]
    k: f64,
    /// The square of k
    #[parameter(calculated)]
    k_squared: f64,
    /// Added to the rate of x
    #[parameter(start = 0.0, min = -1.0, max = 1.0, tunable)]
    drift: f64,
    /// What goes wrong: 0 nothing, 1 only a message, 2 panic, 3 panic without a text, 4 error, 5 recoverable error
    #[parameter(start = 0, min = 0, max = 5, tunable)]
    trouble: i32,
    /// Where: 1 calculated, 2 initial, 3 locals, 4 derivatives, 5 outputs, 6 event_indicators, 7 event,
    /// 8 next_event_time, 9 completed_step
    #[parameter(start = 0, min = 0, max = 9, tunable)]
    place: i32,
    /// The trouble comes once x is above this
    #[parameter(start = -1.0, tunable)]
    threshold: f64,
    /// completed_step asks for an event once time is above this
    #[parameter(start = 1e9, tunable)]
    step_event_after: f64,
    /// Added to the rate of x
    #[input(start = 0.0, min = -1.0, max = 1.0)]
    u: f64,
    /// What the next event does: 1 terminate, 2 three more iterations, 3 log, 4 set x to where it is, 5 move x,
    /// 6 report how often functions were called
    #[input(start = 0)]
    command: i32,
    /// Something to repeat
    #[input(start = "nothing")]
    said: String,
    /// Three quarters of x
    #[local]
    part: f64,
    /// Four thirds of `part`
    #[output]
    whole: f64,
    /// What was said at the last event
    #[discrete(start = "", output)]
    heard: String,
    /// Calls of the event function
    #[discrete(start = 0, output)]
    passes: i32,
    /// Events that completed_step asked for
    #[discrete(start = 0, output)]
    step_events: i32,
    /// Events that next_event_time asked for, one every half second
    #[discrete(start = 0, output)]
    time_events: i32,
    /// Whole seconds, by initial equations and time events
    #[discrete(initial = "calculated", output)]
    seconds: i32,
    /// Evaluations of fn derivatives up to the last event
    #[discrete(start = 0, output)]
    derivative_calls: i32,
    /// Evaluations of fn outputs up to the last event
    #[discrete(start = 0, output)]
    output_calls: i32,
    /// Evaluations so far, counted behind the model's back
    #[internal(fixed)]
    calls: Calls,
    /// The first line of resources/probe.txt
    #[internal]
    greeting: String,
}

/// A panic whose payload is not a text.
struct Wordless;

/// Counters that a function with `&self` can count.
#[derive(Clone, Debug, Default)]
struct Calls {
    derivatives: Arc<AtomicI32>,
    outputs: Arc<AtomicI32>,
}

#[equations]
impl Probe {
    fn misbehave(&self, place: i32) -> Result<(), ModelError> {
        if self.place != place || self.x <= self.threshold {
            return Ok(());
        }
        match self.trouble {
            1 => {
                log!("chatter", "at place {place}");
                Ok(())
            }
            2 => panic!("the probe panics at place {place}, 100 %s sure, item #5"),
            3 => std::panic::panic_any(Wordless),
            4 => Err(ModelError::new(format!(
                "the probe fails at place {place}, 100 %s sure, item #5"
            ))),
            5 => Err(ModelError::new(format!("the probe hesitates at place {place}")).recoverable()),
            _ => Ok(()),
        }
    }
}

#[equations]
impl Model for Probe {
    fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError> {
        let text = std::fs::read_to_string(resources.join("probe.txt"))?;
        assert!(!text.starts_with("panic"), "the probe panics at instantiation");
        self.greeting = text.lines().next().unwrap_or_default().to_owned();
        Ok(())
    }

    fn calculated(&self) -> Result<Calculated<Self>, ModelError> {
        self.misbehave(1)?;
        Ok(Calculated::<Self> {
            k_squared: self.k * self.k,
        })
    }

    fn initial(&self, t: f64) -> Result<Initial<Self>, ModelError> {
        self.misbehave(2)?;
        let _ = t;
        Ok(Initial::<Self> {
            y: self.k_squared + self.u,
            seconds: 100,
        })
    }

    fn locals(&self, _t: f64) -> Result<Locals<Self>, ModelError> {
        self.misbehave(3)?;
        Ok(Locals::<Self> { part: 0.75 * self.x })
    }

    fn derivatives(&self, _t: f64) -> Result<Derivatives<Self>, ModelError> {
        self.misbehave(4)?;
        self.calls.derivatives.fetch_add(1, Ordering::Relaxed);
        Ok(Derivatives::<Self> {
            x: self.k + self.drift + self.u,
            y: -self.y,
        })
    }

    fn outputs(&self, _t: f64) -> Result<Outputs<Self>, ModelError> {
        self.misbehave(5)?;
        self.calls.outputs.fetch_add(1, Ordering::Relaxed);
        Ok(Outputs::<Self> {
            whole: self.part / 0.75,
        })
    }

    fn event_indicators(&self, _t: f64) -> Result<[f64; 1], ModelError> {
        self.misbehave(6)?;
        Ok([self.x - 2.0])
    }

    fn event(&mut self, at: Event) -> Result<Next, ModelError> {
        self.misbehave(7)?;
        self.passes += 1;
        self.heard.clone_from(&self.said);
        self.step_events += i32::from(at.step && at.iteration == 0);
        self.time_events += i32::from(at.scheduled && at.iteration == 0);
        self.seconds = at.time.floor() as i32;
        if self.command == 6 {
            self.derivative_calls = self.calls.derivatives.load(Ordering::Relaxed);
            self.output_calls = self.calls.outputs.load(Ordering::Relaxed);
        }
        Ok(match self.command {
            1 => Next::Terminate,
            2 if at.iteration < 3 => Next::Iterate,
            3 => {
                log!("probe", "x is {} now, 100 %s of it, see #7", self.x);
                log!("chatter", "nothing of interest");
                Next::Continue
            }
            4 => {
                self.x += 0.0;
                Next::Continue
            }
            5 => {
                self.x = 1.25;
                Next::Continue
            }
            _ => Next::Continue,
        })
    }

    fn next_event_time(&self, t: f64) -> Result<Option<f64>, ModelError> {
        self.misbehave(8)?;
        Ok(Some(((2.0 * t).floor() + 1.0) / 2.0))
    }

    fn completed_step(&mut self, t: f64) -> Result<bool, ModelError> {
        self.misbehave(9)?;
        Ok(t > self.step_event_after && self.step_events == 0)
    }
}

export_fmu!(Probe);
