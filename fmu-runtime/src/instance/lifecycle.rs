//! The way of an instance through its modes: experiment, initialization, termination, reset.

use super::problem::{Outcome, Problem};
use super::{Instance, Interface, Mode, Run, panics};
use crate::model::Model;

/// Drift of the caller's sum of steps beyond the stop time that is accepted: a part of the span, and some roundings of
/// the time itself.
const STOP_TIME_SLACK: f64 = 1e-9;
const ROUNDINGS: f64 = 16.0;

/// Times and tolerance of a simulation.
pub struct Experiment {
    /// `tolerance`, if defined.
    pub tolerance: Option<f64>,
    /// `startTime`.
    pub start: f64,
    /// `stopTime`, if defined.
    pub stop: Option<f64>,
}

impl<M: Model> Instance<M> {
    /// Enables or disables log categories.
    pub fn set_debug_logging(&mut self, on: bool, categories: &[&str]) -> Outcome {
        let outcome = self.logger.set(on, categories);
        self.enter(self.run.mode);
        outcome
    }

    /// Sets times and tolerance.
    pub fn setup_experiment(&mut self, experiment: Experiment) -> Outcome {
        let Experiment {
            tolerance,
            start,
            stop,
        } = experiment;
        if !start.is_finite() {
            return Err(Problem::error(format!("startTime is {start}")));
        }
        if let Some(tolerance) = tolerance
            && !(tolerance >= 0.0 && tolerance.is_finite())
        {
            return Err(Problem::error(format!("tolerance is {tolerance}")));
        }
        let latest = match stop {
            None => f64::MAX,
            Some(stop) if stop >= start => {
                let rounding = ROUNDINGS * f64::EPSILON * stop.abs().max(start.abs());
                (stop + (STOP_TIME_SLACK * (stop - start)).max(rounding)).min(f64::MAX)
            }
            Some(stop) => {
                return Err(Problem::error(format!(
                    "stopTime {stop} is not after startTime {start}"
                )));
            }
        };
        self.run.start = Some(start);
        self.run.latest = latest;
        self.run.tolerance = tolerance.filter(|tolerance| *tolerance > 0.0);
        Ok(())
    }

    /// Enters initialization mode at the start time.
    pub fn enter_initialization_mode(&mut self) -> Outcome {
        let Some(start) = self.run.start else {
            return Err(Problem::error("the start time is not known"));
        };
        self.run.evaluator.enter_initialization(start);
        self.enter(Mode::Initialization);
        Ok(())
    }

    /// Leaves initialization mode: the initial event comes next; a co-simulation handles it here.
    pub fn exit_initialization_mode(&mut self) -> Outcome {
        self.run.evaluator.exit_initialization()?;
        match self.interface {
            Interface::ModelExchange => self.enter(Mode::Event),
            Interface::CoSimulation => self.begin_steps()?,
        }
        self.say_event(|t| format!("initialized at t = {t}"));
        Ok(())
    }

    /// Terminates the simulation.
    pub fn terminate(&mut self) -> Outcome {
        self.enter(Mode::Terminated);
        self.say_event(|t| format!("terminated at t = {t}"));
        self.logger.say_repeats();
        Ok(())
    }

    /// Back to the state after instantiation. Snapshots stay.
    pub fn reset(&mut self) -> Outcome {
        let run = Run::new(self.new_model(), self.facts.as_ref());
        let run = std::mem::replace(&mut self.run, run);
        let workspace = self.facts.is_some().then(Box::default);
        let mut former = std::mem::replace(&mut self.workspace, workspace);
        let copies = former.iter_mut().flat_map(|workspace| workspace.take_copies());
        let copies: Vec<_> = copies.map(panics::discard).collect();
        let (lifted, reversed) = (self.lifted.take(), self.reversed.take());
        self.enter(Mode::Instantiated);
        let models = [
            panics::discard(run),
            panics::discard(lifted),
            panics::discard(reversed),
        ];
        panics::warn(models.into_iter().chain(copies))
    }

    /// Logs a sentence about an event, if the environment wants them.
    pub(super) fn say_event(&self, sentence: impl FnOnce(f64) -> String) {
        if self.logger.wants(super::logger::EVENTS) {
            let sentence = sentence(self.run.evaluator.time());
            self.logger.say_event(&sentence);
        }
    }
}
