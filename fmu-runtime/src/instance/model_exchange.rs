//! The functions of Model Exchange: time, states, derivatives, event indicators; and events, which a co-simulation may leave to
//! the environment, too.

use super::problem::{Outcome, Problem};
use super::{Instance, Mode, panics};
use crate::evaluator::Pass;
use crate::model::Model;
use crate::{Event, Next};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl<M: Model> Instance<M> {
    /// Enters event mode.
    pub fn enter_event_mode(&mut self) -> Outcome {
        self.commit_to(self.run.evaluator.time())?;
        self.run.evaluator.begin_event();
        if let Some(steps) = &mut self.run.steps {
            steps.memory.begin_event();
        }
        self.apply_pending();
        self.enter(Mode::Event);
        Ok(())
    }

    /// One pass of the event iteration.
    pub fn new_discrete_states(&mut self) -> Outcome<Pass> {
        self.commit_to(self.run.evaluator.time())?;
        let occasion = self.run.evaluator.occasion();
        let pass = self.run.evaluator.event_pass()?;
        if let Some(steps) = &mut self.run.steps {
            steps.memory.note_pass(&pass);
        }
        self.say_event(|_| describe(occasion, pass.next, pass.states_changed, pass.next_event_time));
        Ok(pass)
    }

    /// Enters continuous-time mode.
    pub fn enter_continuous_time_mode(&mut self) -> Outcome {
        self.run.evaluator.enter_continuous_time()?;
        self.enter(Mode::ContinuousTime);
        Ok(())
    }

    /// After a completed step of the integrator: whether the model, or a value that waits for it, asks for an event.
    pub fn completed_integrator_step(&mut self) -> Outcome<bool> {
        self.commit_to(self.run.evaluator.time())?;
        let asks = self.run.evaluator.completed_step()?;
        Ok(asks || !self.run.pending.is_empty())
    }

    /// Sets the time. Integrators step beyond the stop time and interpolate back, so any finite time is accepted; see
    /// [`Instance::commit_to`].
    pub fn set_time(&mut self, time: f64) -> Outcome {
        if !time.is_finite() {
            return Err(Problem::error(format!("{time} is not a time")));
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

    /// Steps and events must not be beyond the stop time.
    pub(crate) fn commit_to(&self, time: f64) -> Outcome {
        match time <= self.run.latest {
            true => Ok(()),
            false => Err(Problem::error(format!(
                "t = {time} is after the stop time of the experiment"
            ))),
        }
    }

    /// Sets the continuous states.
    pub fn set_continuous_states(&mut self, x: &[f64]) -> Outcome {
        expect_length(self.vocabulary.number_of_states, x.len(), M::COUNTS.states)?;
        self.run.evaluator.set_states(x);
        Ok(())
    }

    /// [`Instance::set_continuous_states`], if the vector is good.
    #[inline(always)]
    pub fn set_continuous_states_shortcut(&mut self, x: Option<&[f64]>) -> bool {
        let good = x.filter(|x| x.len() == M::COUNTS.states);
        if let Some(x) = good {
            self.run.evaluator.set_states(x);
        }
        good.is_some()
    }

    /// Reads the derivatives of the states.
    pub fn get_derivatives(&mut self, derivatives: &mut [f64]) -> Outcome {
        expect_length(
            self.vocabulary.number_of_states,
            derivatives.len(),
            M::COUNTS.states,
        )?;
        Ok(self.run.evaluator.derivatives(derivatives)?)
    }

    /// [`Instance::get_derivatives`], if the vector is good and the model neither fails nor panics.
    #[inline(always)]
    pub fn get_derivatives_shortcut(&mut self, derivatives: Option<&mut [f64]>) -> bool {
        let Some(derivatives) = derivatives.filter(|derivatives| derivatives.len() == M::COUNTS.states)
        else {
            return false;
        };
        match catch_unwind(AssertUnwindSafe(|| self.run.evaluator.derivatives(derivatives))) {
            Ok(result) => result.is_ok(),
            Err(payload) => {
                // It will panic again on the long way, which reports it.
                panics::explain(payload);
                false
            }
        }
    }

    /// Reads the event indicators.
    pub fn get_event_indicators(&mut self, indicators: &mut [f64]) -> Outcome {
        expect_length(
            self.vocabulary.number_of_event_indicators,
            indicators.len(),
            M::EVENT_INDICATORS,
        )?;
        Ok(self.run.evaluator.event_indicators(indicators)?)
    }

    /// Reads the continuous states.
    pub fn get_continuous_states(&mut self, x: &mut [f64]) -> Outcome {
        expect_length(self.vocabulary.number_of_states, x.len(), M::COUNTS.states)?;
        self.run.evaluator.ensure(crate::evaluator::Stale::FOR_INITIAL)?;
        self.run.evaluator.states(x);
        Ok(())
    }

    /// The number of continuous states.
    pub fn number_of_states(&self) -> usize {
        M::COUNTS.states
    }

    /// The number of event indicators.
    pub fn number_of_event_indicators(&self) -> usize {
        M::EVENT_INDICATORS
    }

    /// Reads the nominal values of the states.
    pub fn get_nominals(&mut self, nominals: &mut [f64]) -> Outcome {
        expect_length(self.vocabulary.number_of_states, nominals.len(), M::COUNTS.states)?;
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
