//! One communication step.

use super::events::{Reason, is_due};
use super::plant::{Plant, run};
use super::workspace::new_stamp;
use super::{
    AtEvent, Cause, CoSimulation, Environment, Failure, Happening, Point, Reached, Stopped, Stops, Workspace,
};
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::solver::{Break, StepError, changed};

/// A communication step that would take more steps of the integrator than this is given up. Its progress is judged after
/// so many of them, and each time after twice as many.
const MOST_STEPS: f64 = 1e7;
const FIRST_JUDGED: u64 = 1 << 14;

/// So many states are kept on the stack.
const FEW: usize = 8;

impl CoSimulation {
    /// After the evaluator's initialization: settles the initial event, and begins to integrate.
    pub fn initialize<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
    ) -> Result<Reached, Failure> {
        self.start(evaluator, workspace);
        let settled = self.settle(evaluator, &mut workspace.x, Cause::Initial, &mut |_| {});
        settled.map_err(|reason| self.failure(reason))
    }

    /// Advances the model to `end`, later than now. `on_event` is called for every event on the way.
    ///
    /// After a failure the model is where it was last successful.
    #[inline]
    pub fn advance<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
        end: f64,
        mut on_event: impl FnMut(&Happening),
    ) -> Result<Reached, Failure> {
        let run = if E::IS_PRESENT {
            None
        } else {
            self.run(evaluator, end)
        };
        if let Some(result) = run {
            return result;
        }
        let watched = self.watch(evaluator, workspace, (end, Stops::AT_END), &mut on_event);
        watched.map(|stopped| match stopped {
            Stopped::Termination => Reached::Termination,
            _ => Reached::End,
        })
    }

    /// Advances with a fixed step a model that has no events; `None` if this is another one.
    #[inline]
    pub(super) fn run<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        end: f64,
    ) -> Option<Result<Reached, Failure>> {
        if !self.nothing_happens::<M>() {
            return None;
        }
        let result = run(&mut self.method, evaluator, end)?;
        self.stay(evaluator);
        Some(match result {
            Ok(()) => Ok(Reached::End),
            Err(error) => Err(self.failure(error.into())),
        })
    }

    /// As [`CoSimulation::run`]. After a failure that another step may avoid, everything is as before.
    #[inline]
    pub(super) fn run_or_go_back<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        x: &mut Vec<f64>,
        end: f64,
    ) -> Option<Result<Reached, Failure>> {
        if !self.nothing_happens::<M>() || !self.method.has_fixed_step() {
            return None;
        }
        let (t, statistics) = (self.time(), self.statistics());
        let mut few = [0.0; FEW];
        // A length that the compiler knows makes straight code for small models.
        let count = M::COUNTS.states;
        let x = match count {
            0..=FEW => &mut few[..count],
            _ => {
                x.resize(count, 0.0);
                &mut x[..count]
            }
        };
        x.copy_from_slice(&self.method.states()[..count]);
        let result = run(&mut self.method, evaluator, end)?;
        let error = match result {
            Ok(()) => {
                self.stay(evaluator);
                return Some(Ok(Reached::End));
            }
            Err(error) => error,
        };
        let failure = self.failure(error.into());
        match failure.is_recoverable() && self.method.undo(t, x, statistics) {
            true => {
                evaluator.set_time(t);
                evaluator.set_states(x);
            }
            false => self.stay(evaluator),
        }
        Some(Err(failure))
    }

    /// Nothing can happen in a step: no event, and no input moves.
    #[inline]
    fn nothing_happens<M: Model>(&self) -> bool {
        let ends_steps = M::HAS_COMPLETED_STEP || M::COUNTS.unknowns > 0;
        let has_events = M::EVENT_INDICATORS > 0 || ends_steps || M::HAS_TIME_EVENTS || M::CLOCKS > 0;
        let is_limited = self.options().max_internal_steps > 0;
        let surroundings = &self.surroundings;
        !(has_events
            || is_limited
            || self.terminated
            || self.event_requested
            || !surroundings.stabilized.is_empty()
            || surroundings.inputs.will_move())
    }

    /// After a step in which nothing has happened.
    #[inline]
    fn stay<M: Model>(&mut self, evaluator: &Evaluator<M>) {
        self.surroundings.inputs.stay(evaluator, self.method.time());
        // Methods with a fixed step keep no history.
        self.changed = false;
    }

    /// Advances, and looks at events.
    #[inline(never)]
    pub(super) fn watch<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
        until: (f64, Stops),
        on_event: &mut dyn FnMut(&Happening),
    ) -> Result<Stopped, Failure> {
        if self.terminated {
            return Ok(Stopped::Termination);
        }
        workspace.x.resize(self.method.states().len(), 0.0);
        let result = self.advance_to(evaluator, workspace, until, on_event);
        // The event that ended the simulation has left the model as it should be.
        if !self.terminated {
            self.place(evaluator, workspace);
        }
        self.surroundings.inputs.end(self.time());
        result.map_err(|reason| self.failure(reason))
    }

    fn advance_to<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
        (end, stops): (f64, Stops),
        on_event: &mut dyn FnMut(&Happening),
    ) -> Result<Stopped, Reason> {
        self.quick = 1e-9 * (end - self.time());
        let events = self.events;
        let mut reached = self.begin(evaluator, workspace, on_event)?;
        if E::IS_PRESENT && self.events > events {
            workspace
                .copies
                .environment
                .reached(evaluator, Point::AfterEvent)?;
        }
        let (start, mut steps) = (self.time(), 0_u64);
        let budget = self.options().max_internal_steps;
        while reached == Reached::End && self.time() < end {
            if budget > 0 && steps >= u64::from(budget) {
                return Err(Reason::Budget(budget));
            }
            let before = self.time();
            let due = self.next_event_time.filter(|due| is_due(*due, end));
            let mut plant = Plant {
                evaluator,
                copies: &mut workspace.copies,
                surroundings: &self.surroundings,
            };
            self.method
                .step(&mut plant, due.map_or(end, |due| due.min(end)))?;
            steps += 1;
            self.check_progress(steps, (start, before, end))?;

            let crossed = M::EVENT_INDICATORS > 0 && self.find_crossing(evaluator, workspace, before)?;
            let mut cause = crossed.then_some(Cause::State);
            if due.is_some_and(|due| is_due(due, self.time())) {
                cause = Some(Cause::Time);
            }
            if M::HAS_COMPLETED_STEP || M::COUNTS.unknowns > 0 {
                self.place(evaluator, workspace);
                if M::HAS_COMPLETED_STEP {
                    self.surroundings.stamp = new_stamp();
                }
                let asked = evaluator.completed_step()?;
                cause = cause.or(asked.then_some(Cause::Step));
            }
            if E::IS_PRESENT {
                self.place(evaluator, workspace);
                let point = if cause.is_some() {
                    Point::BeforeEvent
                } else {
                    Point::Step
                };
                workspace.copies.environment.reached(evaluator, point)?;
            }
            if let Some(cause) = cause {
                self.place(evaluator, workspace);
                let is_inside = self.time() < end;
                let at_event = if is_inside { stops.inside } else { stops.at_end };
                if at_event == AtEvent::Stop {
                    return Ok(Stopped::BeforeEvent);
                }
                reached = self.event(evaluator, &mut workspace.x, cause, on_event)?;
                if E::IS_PRESENT {
                    workspace
                        .copies
                        .environment
                        .reached(evaluator, Point::AfterEvent)?;
                }
                if at_event == AtEvent::HandleAndStop && is_inside && reached == Reached::End {
                    return Ok(Stopped::AfterEvent);
                }
            }
        }
        Ok(reached.into())
    }

    /// Steps that lead nowhere must end: values beyond all bounds, or a stiff model with the wrong integrator.
    #[inline]
    fn check_progress(&self, steps: u64, (start, before, end): (f64, f64, f64)) -> Result<(), Reason> {
        let now = self.time();
        if now.is_nan() || now <= before {
            return Err(StepError::TooSmall { t: before, h: 0.0 }.into());
        }
        let to_be_judged = steps >= FIRST_JUDGED && steps.is_power_of_two();
        if to_be_judged && self.method.has_error_control() {
            let expected = steps as f64 * (end - start) / (now - start);
            if expected > MOST_STEPS {
                return Err(Reason::Slow);
            }
        }
        Ok(())
    }

    /// Takes up what has happened to inputs and parameters since the last step.
    fn begin<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
        on_event: &mut dyn FnMut(&Happening),
    ) -> Result<Reached, Reason> {
        let t = self.time();
        let broken = self.surroundings.inputs.begin(evaluator, t);
        if std::mem::take(&mut self.changed) || broken == Some(Break::Value) {
            self.method.cross_over();
        } else if broken == Some(Break::Slope) {
            self.method.bend();
        }
        if !self.surroundings.stabilized.is_empty() {
            // Viel 2014, equation 23: what was set is where the integration begins.
            self.gather(evaluator, &mut workspace.x);
            match &workspace.copies.stabilizer {
                Some(_) => self.method.go_on(t, &workspace.x),
                None => self.method.jump(t, &workspace.x),
            }
        }
        let mut crossed = false;
        if M::EVENT_INDICATORS > 0 {
            let [z, ..] = &mut workspace.z;
            evaluator.event_indicators(z)?;
            crossed = changed(&self.z, z);
        }
        // An environment that handles events itself has let one pass.
        let is_overdue = self.next_event_time.is_some_and(|due| due <= t);
        let is_requested = std::mem::take(&mut self.event_requested);
        let cause = match is_overdue {
            true => Some(Cause::Time),
            false => (is_requested || crossed).then_some(Cause::Input),
        };
        match cause {
            Some(cause) => self.event(evaluator, &mut workspace.x, cause, on_event),
            None => Ok(Reached::End),
        }
    }

    /// Brings the model to where the integrator is.
    fn place<M: Model, E: Environment<M>>(
        &self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M, E>,
    ) {
        let mut plant = Plant {
            evaluator,
            copies: &mut workspace.copies,
            surroundings: &self.surroundings,
        };
        plant.place(self.time(), self.method.states());
    }

    /// Copies the states of the integration from the model.
    pub(super) fn gather<M: Model>(&self, evaluator: &Evaluator<M>, x: &mut [f64]) {
        let (own, stabilized) = x.split_at_mut(M::COUNTS.states);
        evaluator.states(own);
        for (u, slot) in stabilized.iter_mut().zip(&self.surroundings.stabilized) {
            *u = evaluator.real(*slot);
        }
    }

    #[cold]
    pub(super) fn failure(&self, reason: Reason) -> Failure {
        Failure {
            time: self.time(),
            reason,
        }
    }
}
