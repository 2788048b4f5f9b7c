//! Events: the iteration over the model's event function, and when the next one is due.

use super::{Evaluator, Stale, same_bits};
use crate::model::Model;
use crate::stored::{Damaged, Reader, Stored, Writer};
use crate::{Event, ModelError, Next};

/// How often an event function may ask to be called again before that counts as an endless loop.
const MOST_ITERATIONS: usize = 256;

/// The result of one pass of the event iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pass {
    /// How to go on.
    pub next: Next,
    /// Some continuous state has another value than before.
    pub states_changed: bool,
    /// When the next time event is due, once the iteration has settled.
    pub next_event_time: Option<f64>,
}

/// Where the model stands in its events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// The initial event is not settled yet.
    initial: bool,
    /// `fn completed_step` asked for an event, which is not settled yet.
    step: bool,
    /// Passes since the event began.
    iteration: usize,
    /// Passes in a row that asked for another one.
    unsettled: usize,
    /// The last pass did not ask for another one.
    settled: bool,
    /// The last answer of `fn next_event_time`.
    announced: Option<f64>,
}

impl Progress {
    pub fn initial() -> Progress {
        Progress {
            initial: true,
            ..Progress::default()
        }
    }
}

impl Stored for Progress {
    fn store(&self, out: &mut Writer<'_>) {
        [self.initial, self.step, self.settled].store(out);
        out.count(self.iteration);
        out.count(self.unsettled);
        self.announced.store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Progress, Damaged> {
        let [initial, step, settled] = Stored::load(from)?;
        Ok(Progress {
            initial,
            step,
            settled,
            iteration: from.count(usize::MAX / 2)?,
            unsettled: from.count(MOST_ITERATIONS)?,
            announced: Stored::load(from)?,
        })
    }
}

impl<M: Model> Evaluator<M> {
    /// An event begins at the present time.
    pub fn begin_event(&mut self) {
        self.progress.iteration = 0;
        self.progress.unsettled = 0;
        self.progress.settled = false;
        self.indicators.restart();
        self.set_strict(true);
    }

    /// Whether the last pass of the present event did not ask for another one.
    pub fn is_settled(&self) -> bool {
        self.progress.settled
    }

    /// The event that the next pass handles: initial, scheduled and step hold until a pass settles them.
    pub fn occasion(&self) -> Event {
        Event {
            initial: self.progress.initial,
            scheduled: self.is_due(),
            step: self.progress.step,
            iteration: self.progress.iteration,
            ..Event::at(self.time)
        }
    }

    /// Whether the announced time has come; an integrator may stop some roundings early.
    fn is_due(&self) -> bool {
        let due = |announced: f64| self.time >= announced - 16.0 * f64::EPSILON * announced.abs();
        self.progress.announced.is_some_and(due)
    }

    /// One pass of the event iteration: calls the model's event function once.
    pub fn event_pass(&mut self) -> Result<Pass, ModelError> {
        let (next, states_changed) = self.call_event_function()?;
        self.progress.iteration += 1;
        if next == Next::Iterate {
            self.progress.settled = false;
            self.progress.unsettled += 1;
            if self.progress.unsettled >= MOST_ITERATIONS {
                return Err(ModelError::new(format!(
                    "the event at t = {} does not settle: `fn event` has asked for another iteration \
                     {MOST_ITERATIONS} times",
                    self.time
                )));
            }
        } else {
            self.progress = Progress {
                iteration: self.progress.iteration,
                settled: true,
                ..Progress::default()
            };
        }
        let mut next_event_time = None;
        if next == Next::Continue {
            self.progress.announced = self.upcoming_event_time()?;
            next_event_time = self.progress.announced;
            if M::CLOCKS > 0 {
                let tick = self
                    .clocks
                    .next(&*self.model, self.time)?
                    .unwrap_or(f64::INFINITY);
                next_event_time = Some(next_event_time.map_or(tick, |announced| announced.min(tick)));
            }
        }
        Ok(Pass {
            next,
            states_changed,
            next_event_time,
        })
    }

    fn call_event_function(&mut self) -> Result<(Next, bool), ModelError> {
        if !M::HAS_EVENT {
            return Ok((Next::Continue, false));
        }
        self.ensure(Stale::FOR_OUTPUTS)?;
        let at = self.occasion();
        self.model.states(&mut self.before);
        if M::CLOCKS > 0 {
            self.tick(at)?;
        }
        // Also if the event function fails half-way, what was evaluated does not hold any more.
        self.spoil(Stale::BY_VARIABLE);
        self.revision += 1;
        let next = self.model.on_event(at, &self.held)?;
        self.model.states(&mut self.after);
        if M::EDGES > 0 {
            self.ensure(Stale::FOR_OUTPUTS)?;
            self.model.edges(self.time, &mut self.held);
        }
        Ok((next, !same_bits(&self.before, &self.after)))
    }

    /// Runs the sampled functions that are due, each with what those before it have changed.
    fn tick(&mut self, at: Event) -> Result<(), ModelError> {
        let Some(shortest) = self.clocks.shortest_due(self.time) else {
            return Ok(());
        };
        for clock in 0..M::CLOCKS {
            if self.clocks.is_due(clock, self.time, shortest) {
                self.ensure(Stale::FOR_OUTPUTS)?;
                self.spoil(Stale::BY_VARIABLE);
                self.revision += 1;
                self.model.on_tick(clock, at)?;
                self.clocks.advance(clock, self.time);
            }
        }
        self.ensure(Stale::FOR_OUTPUTS)
    }

    fn upcoming_event_time(&mut self) -> Result<Option<f64>, ModelError> {
        if !M::HAS_TIME_EVENTS {
            return Ok(None);
        }
        self.ensure(Stale::FOR_OUTPUTS)?;
        match self.model.upcoming_event_time(self.time)? {
            Some(time) if time > self.time => Ok(Some(time).filter(|time| time.is_finite())),
            Some(time) => Err(ModelError::new(format!(
                "`fn next_event_time` answers {time} at t = {}: the next event must be later than now \
                 (None if there is none)",
                self.time
            ))),
            None => Ok(None),
        }
    }

    /// Time begins to pass. From here on 0 is a side for an event indicator: see the module of the indicators.
    pub fn enter_continuous_time(&mut self) -> Result<(), ModelError> {
        self.ensure(Stale::FOR_INDICATORS)?;
        self.move_anchor()?;
        self.set_strict(false);
        self.indicators.settle();
        Ok(())
    }

    /// The integrator has accepted a step; true asks for an event.
    pub fn completed_step(&mut self) -> Result<bool, ModelError> {
        self.move_anchor()?;
        if !M::HAS_COMPLETED_STEP {
            return Ok(false);
        }
        self.ensure(Stale::FOR_OUTPUTS)?;
        self.spoil(Stale::BY_VARIABLE);
        self.revision += 1;
        self.progress.step = self.model.on_completed_step(self.time)?;
        Ok(self.progress.step)
    }
}
