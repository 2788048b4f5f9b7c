//! Co-Simulation with an environment that handles events itself, and that lets a step end early.

use super::co_simulation::of_failure;
use super::problem::{Outcome, Status};
use super::{Instance, Mode, panics};
use crate::cosim::{Stopped, Stops};
use crate::model::Model;

/// A model with more bytes is copied to new memory at each communication step: it would be put on the stack first otherwise.
const LARGE: usize = 4096;

impl<M: Model> Instance<M> {
    /// Leaves initialization mode for event mode: the environment handles the initial event.
    pub fn exit_initialization_mode_to_event_mode(&mut self) -> Outcome {
        self.run.evaluator.exit_initialization()?;
        let options = self.options();
        if let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) {
            steps.memory.set_options(options);
            steps.memory.start(&self.run.evaluator, workspace);
        }
        self.enter(Mode::Event);
        self.say_event(|t| format!("initialized at t = {t}"));
        Ok(())
    }

    /// Leaves event mode for the next communication step.
    pub fn enter_step_mode(&mut self) -> Outcome {
        if let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) {
            let resumed = steps.memory.end_event(&mut self.run.evaluator, workspace);
            resumed.map_err(|failure| of_failure(&failure))?;
        }
        self.enter(Mode::StepComplete);
        Ok(())
    }

    /// Makes a communication step from `point`, `step` long, that stops at events as `stops` says. If the step cannot be
    /// completed, but another one may, everything is as before the call.
    pub fn do_step_to_event(&mut self, point: f64, step: f64, stops: Stops) -> Outcome<Stopped> {
        let end = self.end_of_step(point, step)?;
        if let Some(stopped) = self.advance_or_go_back(end) {
            return stopped;
        }
        let mut before = match self.before_step.take() {
            Some(mut before) => {
                (*before).clone_from(&self.run);
                before
            }
            None => Box::new(self.run.clone()),
        };
        let advanced = self.advance(end, stops);
        let stopped = advanced.and_then(|advanced| {
            advanced.map_err(|failure| {
                let problem = of_failure(&failure);
                if problem.status == Status::Discard {
                    std::mem::swap(&mut self.run, &mut *before);
                    panics::discard(self.lifted.take());
                    panics::discard(self.reversed.take());
                }
                problem
            })
        });
        // To replace a small model without `Drop` costs no more than to copy it.
        match std::mem::needs_drop::<M>() || size_of::<M>() > LARGE {
            false => self.before_step = Some(before),
            // Models whose `Drop` panics have been warned of elsewhere.
            true => drop(panics::discard(before)),
        }
        stopped
    }

    /// A communication step of fixed size in which nothing can happen, which needs no copy of everything.
    #[inline]
    fn advance_or_go_back(&mut self, end: f64) -> Option<Outcome<Stopped>> {
        let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) else {
            return None;
        };
        let evaluator = &mut self.run.evaluator;
        let result = steps.memory.advance_or_go_back(evaluator, workspace, end)?;
        evaluator.write_statistics(&steps.memory.statistics());
        Some(match result {
            Ok(stopped) => {
                steps.status = Status::Ok;
                Ok(stopped)
            }
            Err(failure) => Err(of_failure(&failure)),
        })
    }
}
