//! The functions of Model Exchange: time, states, derivatives, event indicators, and events.

use super::functions::Mode;
use super::instance::Instance;
use super::panics;
use super::problem::{Outcome, Problem};
use crate::model::Model;
use crate::{Event, Next};
use fmu_standard::fmi2::{fmi2EventInfo, fmi2Real};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl<M: Model> Instance<M> {
    /// `fmi2EnterEventMode`.
    pub fn enter_event_mode(&mut self) -> Outcome {
        self.commit_to(self.run.evaluator.time())?;
        self.run.evaluator.begin_event();
        self.apply_pending();
        self.enter(Mode::Event);
        Ok(())
    }

    /// `fmi2NewDiscreteStates`: one pass of the event iteration.
    pub fn new_discrete_states(&mut self, info: &mut fmi2EventInfo) -> Outcome {
        self.commit_to(self.run.evaluator.time())?;
        let occasion = self.run.evaluator.occasion();
        let pass = self.run.evaluator.event_pass()?;
        *info = fmi2EventInfo {
            newDiscreteStatesNeeded: (pass.next == Next::Iterate).into(),
            terminateSimulation: (pass.next == Next::Terminate).into(),
            nominalsOfContinuousStatesChanged: false.into(),
            valuesOfContinuousStatesChanged: pass.states_changed.into(),
            nextEventTimeDefined: pass.next_event_time.is_some().into(),
            nextEventTime: pass.next_event_time.unwrap_or(0.0),
        };
        self.say_event(|_| describe(occasion, pass.next, pass.states_changed, pass.next_event_time));
        Ok(())
    }

    /// `fmi2EnterContinuousTimeMode`.
    pub fn enter_continuous_time_mode(&mut self) -> Outcome {
        self.run.evaluator.enter_continuous_time()?;
        self.enter(Mode::ContinuousTime);
        Ok(())
    }

    /// `fmi2CompletedIntegratorStep`: whether the model, or a value that waits for it, asks for an event.
    pub fn completed_integrator_step(&mut self) -> Outcome<bool> {
        self.commit_to(self.run.evaluator.time())?;
        let asks = self.run.evaluator.completed_step()?;
        Ok(asks || !self.run.pending.is_empty())
    }

    /// `fmi2SetTime`. Integrators step beyond the stop time and interpolate back, so any time will do; see
    /// [`Instance::commit_to`].
    pub fn set_time(&mut self, time: f64) -> Outcome {
        if !time.is_finite() {
            return Err(Problem::error(format!("{time} is not a time")));
        }
        if self.run.mode == Mode::Event {
            self.go_to_next_event()?;
        }
        self.run.evaluator.set_time(time);
        Ok(())
    }

    /// [`Instance::set_time`] in continuous-time mode, if the time is good.
    #[inline(always)]
    pub fn set_time_shortcut(&mut self, time: f64) -> bool {
        let good = time.is_finite();
        if good {
            self.run.evaluator.set_time(time);
        }
        good
    }

    /// What is decided for good must not be beyond the stop time.
    pub(super) fn commit_to(&self, time: f64) -> Outcome {
        match time <= self.run.latest {
            true => Ok(()),
            false => Err(Problem::error(format!(
                "t = {time} is after the stop time of the experiment"
            ))),
        }
    }

    /// Condition 8 of the table: an FMU of discrete variables alone may go from event to event.
    fn go_to_next_event(&mut self) -> Outcome {
        if !self.variables.is_purely_discrete {
            return Err(Problem::error(
                "not allowed in event mode, only in continuous-time mode (a model of discrete variables alone could)",
            ));
        }
        if !self.run.evaluator.is_settled() {
            return Err(Problem::error(
                "the event is not over; call fmi2NewDiscreteStates until newDiscreteStatesNeeded is false",
            ));
        }
        self.run.evaluator.begin_event();
        Ok(())
    }

    /// `fmi2SetContinuousStates`.
    pub fn set_continuous_states(&mut self, x: &[fmi2Real]) -> Outcome {
        expect_length("nx", x.len(), M::COUNTS.states)?;
        self.run.evaluator.set_states(x);
        Ok(())
    }

    /// [`Instance::set_continuous_states`], if the vector is good.
    #[inline(always)]
    pub fn set_continuous_states_shortcut(&mut self, x: Option<&[fmi2Real]>) -> bool {
        let good = x.filter(|x| x.len() == M::COUNTS.states);
        if let Some(x) = good {
            self.run.evaluator.set_states(x);
        }
        good.is_some()
    }

    /// `fmi2GetDerivatives`.
    pub fn get_derivatives(&mut self, derivatives: &mut [fmi2Real]) -> Outcome {
        expect_length("nx", derivatives.len(), M::COUNTS.states)?;
        Ok(self.run.evaluator.derivatives(derivatives)?)
    }

    /// [`Instance::get_derivatives`], if the vector is good and the model neither fails nor panics.
    #[inline(always)]
    pub fn get_derivatives_shortcut(&mut self, derivatives: Option<&mut [fmi2Real]>) -> bool {
        let Some(derivatives) = derivatives.filter(|derivatives| derivatives.len() == M::COUNTS.states)
        else {
            return false;
        };
        match catch_unwind(AssertUnwindSafe(|| self.run.evaluator.derivatives(derivatives))) {
            Ok(result) => result.is_ok(),
            Err(payload) => {
                // It will panic again on the long way, where somebody hears it.
                panics::explain(payload);
                false
            }
        }
    }

    /// `fmi2GetEventIndicators`.
    pub fn get_event_indicators(&mut self, indicators: &mut [fmi2Real]) -> Outcome {
        expect_length("ni", indicators.len(), M::EVENT_INDICATORS)?;
        Ok(self.run.evaluator.event_indicators(indicators)?)
    }

    /// `fmi2GetContinuousStates`.
    pub fn get_continuous_states(&mut self, x: &mut [fmi2Real]) -> Outcome {
        expect_length("nx", x.len(), M::COUNTS.states)?;
        self.run.evaluator.ensure(crate::evaluator::Stale::FOR_INITIAL)?;
        self.run.evaluator.states(x);
        Ok(())
    }

    /// `fmi2GetNominalsOfContinuousStates`.
    pub fn get_nominals(&mut self, nominals: &mut [fmi2Real]) -> Outcome {
        expect_length("nx", nominals.len(), M::COUNTS.states)?;
        nominals.copy_from_slice(&self.variables.nominals);
        Ok(())
    }
}

fn expect_length(name: &str, length: usize, expected: usize) -> Outcome {
    match length == expected {
        true => Ok(()),
        false => Err(wrong_length(name, length, expected)),
    }
}

#[cold]
fn wrong_length(name: &str, length: usize, expected: usize) -> Box<Problem> {
    Problem::error(format!("{name} is {length}, but the model has {expected}"))
}

pub(super) fn describe(at: Event, next: Next, states_changed: bool, next_event_time: Option<f64>) -> String {
    let kind = match at {
        Event { initial: true, .. } => "initial event",
        Event { scheduled: true, .. } => "time event",
        Event { step: true, .. } => "step event",
        _ => "event",
    };
    let mut sentence = format!("{kind} at t = {}", at.time);
    if at.iteration > 0 {
        sentence += &format!(", iteration {}", at.iteration + 1);
    }
    if states_changed {
        sentence += "; states have new values";
    }
    match (next, next_event_time) {
        (Next::Terminate, _) => sentence += "; the model ends the simulation",
        (Next::Iterate, _) => sentence += "; to be iterated",
        (Next::Continue, Some(time)) => sentence += &format!("; next time event at t = {time}"),
        (Next::Continue, None) => {}
    }
    sentence
}
