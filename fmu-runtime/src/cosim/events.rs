//! Events inside a communication step: where they are, what they do, and when there are too many.

use super::plant::Plant;
use super::workspace::new_stamp;
use super::{CoSimulation, Environment, Reached, Workspace};
use crate::evaluator::{Evaluator, Pass};
use crate::model::Model;
use crate::solver::{Crossing, StepError, changed, locate_event, remember};
use crate::{ModelError, Next};
use std::fmt;

/// More events in a row than this, with hardly any time between them, count as chattering.
const MOST_QUICK_EVENTS: u64 = 200;
/// Time events that are so many roundings apart are not apart.
const ROUNDINGS: f64 = 16.0;

/// Why there is an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It ends the initialization.
    Initial,
    /// An input was set.
    Input,
    /// An event indicator has changed its sign.
    State,
    /// Its time has come.
    Time,
    /// The model has asked for it after an integrator's step.
    Step,
}

/// One pass of an event's iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Happening {
    /// When.
    pub time: f64,
    /// Why.
    pub cause: Cause,
    /// How many passes of the same event went before.
    pub iteration: usize,
    /// Its result.
    pub pass: Pass,
}

/// Why a communication step was not completed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The last time that was reached: the model is there.
    pub time: f64,
    /// Why it went no further.
    pub reason: Reason,
}

/// Why a communication step went no further.
#[derive(Debug)]
pub enum Reason {
    /// The integrator could not go on, or the model's equations or event function failed.
    Step(StepError),
    /// Events follow each other with hardly any time between them.
    Chattering,
    /// The integrator makes hardly any progress.
    Slow,
    /// The communication step needs more internal steps than it may take.
    Budget(u32),
}

impl Failure {
    /// A shorter communication step or other inputs may avoid it.
    pub fn is_recoverable(&self) -> bool {
        match &self.reason {
            Reason::Step(StepError::Model(error)) => error.is_recoverable(),
            Reason::Step(StepError::TooSmall { .. })
            | Reason::Chattering
            | Reason::Slow
            | Reason::Budget(_) => true,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Step(error) => write!(f, "{error}"),
            Reason::Chattering => write!(
                f,
                "more than {MOST_QUICK_EVENTS} events in a row came with hardly any time between them at t = {}: the model chatters. \
                 Give its switching a hysteresis, or a state in which it rests",
                self.time
            ),
            Reason::Slow => write!(
                f,
                "at t = {} the integrator has made thousands of steps without getting far. Its values are beyond all \
                 bounds, or the model is stiff and needs `solver = \"bdf\"`",
                self.time
            ),
            Reason::Budget(steps) => write!(
                f,
                "the communication step needs more than the {steps} internal steps of `max_internal_steps`. Ask for a \
                 shorter one, or allow more"
            ),
        }
    }
}

impl std::error::Error for Failure {}

impl From<StepError> for Reason {
    fn from(error: StepError) -> Reason {
        Reason::Step(error)
    }
}

impl From<ModelError> for Reason {
    fn from(error: ModelError) -> Reason {
        Reason::Step(StepError::Model(error))
    }
}

/// Whether an event is due at `t`, some roundings early at most.
pub(super) fn is_due(due: f64, t: f64) -> bool {
    t >= due - ROUNDINGS * f64::EPSILON * due.abs()
}

impl CoSimulation {
    /// Whether an event indicator has changed its sign in the step from `before` to now; if so, the step ends there.
    pub(super) fn find_crossing<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
        before: f64,
    ) -> Result<bool, Reason> {
        let (method, Workspace { copies, x, z }) = (&mut self.method, workspace);
        let [z0, z1, z] = z;
        let mut plant = Plant {
            evaluator,
            copies,
            surroundings: &self.surroundings,
        };
        let after = method.time();
        plant.place(after, method.states());
        plant.evaluator.event_indicators(z1)?;
        if !changed(&self.z, z1) {
            remember(&mut self.z, z1);
            return Ok(false);
        }
        method.prepare(&mut plant)?;
        z0.copy_from_slice(&self.z);
        let indicators = |t: f64, z: &mut [f64]| {
            method.interpolate(t, x);
            plant.place(t, x);
            plant.evaluator.event_indicators(z)
        };
        let t = locate_event(Crossing { before, after }, z0, z1, z, indicators)?;
        if t < after {
            method.interpolate(t, x);
            method.back_to(t, x);
        }
        Ok(true)
    }

    /// An event at the present time, where the model is.
    pub(super) fn event<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        x: &mut [f64],
        cause: Cause,
        on_event: &mut dyn FnMut(&Happening),
    ) -> Result<Reached, Reason> {
        self.events += 1;
        let t = self.time();
        let quick = match cause {
            // The model has announced another time than that of the last event: samples may be as close as they like.
            Cause::Time => ROUNDINGS * f64::EPSILON * t.abs(),
            _ => self.quick,
        };
        self.quick_events = match t - self.last_event_time <= quick {
            true => self.quick_events + 1,
            false => 0,
        };
        self.last_event_time = t;
        if self.quick_events > MOST_QUICK_EVENTS {
            return Err(Reason::Chattering);
        }
        evaluator.begin_event();
        self.settle(evaluator, x, cause, on_event)
    }

    /// Iterates an event until it is settled, and goes on from there.
    pub(super) fn settle<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        x: &mut [f64],
        cause: Cause,
        on_event: &mut dyn FnMut(&Happening),
    ) -> Result<Reached, Reason> {
        let time = self.time();
        let mut states_changed = false;
        for iteration in 0.. {
            self.surroundings.stamp = new_stamp();
            let pass = evaluator.event_pass()?;
            states_changed |= pass.states_changed;
            on_event(&Happening {
                time,
                cause,
                iteration,
                pass,
            });
            match pass.next {
                Next::Iterate => {}
                Next::Continue => {
                    self.next_event_time = pass.next_event_time;
                    break;
                }
                Next::Terminate => {
                    self.terminated = true;
                    return Ok(Reached::Termination);
                }
            }
        }
        evaluator.enter_continuous_time()?;
        evaluator.event_indicators(&mut self.z)?;
        match states_changed {
            true => {
                self.gather(evaluator, x);
                self.method.jump(time, x);
            }
            false => self.method.cross_over(),
        }
        Ok(Reached::End)
    }
}
