//! What an event function receives, and what it returns.

/// The occasion on which `fn event` is called.
///
/// `initial`, `scheduled` and `step` hold until a call answers [`Next::Continue`]. An importer may call again at the
/// same time, because other models still iterate; what was dealt with is then not announced a second time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The time of the event.
    pub time: f64,
    /// The first event after initialization, at the start time.
    pub initial: bool,
    /// The time that `fn next_event_time` announced has come.
    pub scheduled: bool,
    /// `fn completed_step` asked for it.
    pub step: bool,
    /// How many passes of this event's iteration went before.
    pub iteration: usize,
    /// Which conditions of `rising` and `falling` held before the event, one bit each.
    #[doc(hidden)]
    pub held: u64,
}

impl Event {
    /// An event at `time` of no particular kind, for tests that call `fn event` themselves.
    ///
    /// ```
    /// let event = fmu_runtime::Event::at(0.5);
    /// assert_eq!((event.time, event.iteration), (0.5, 0));
    /// ```
    pub fn at(time: f64) -> Event {
        Event {
            time,
            initial: false,
            scheduled: false,
            step: false,
            iteration: 0,
            held: 0,
        }
    }

    /// The same event, as one that `fn next_event_time` had announced.
    pub fn scheduled(self) -> Event {
        Event {
            scheduled: true,
            ..self
        }
    }
}

/// How the event iteration goes on. Of several parts' answers the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    /// The discrete variables are settled.
    #[default]
    Continue,
    /// Call `fn event` once more at the same time.
    Iterate,
    /// End the simulation here.
    Terminate,
}
