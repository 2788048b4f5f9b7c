//! Co-Simulation with an environment that handles events itself, and that lets a step end early.

use super::co_simulation::of_failure;
use super::problem::{Outcome, Status};
use super::{Instance, Mode, panics};
use crate::cosim::{Stopped, Stops};
use crate::model::Model;

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
        let mut before = self.run.clone();
        let stopped = self.advance(end, stops)?.map_err(|failure| {
            let problem = of_failure(&failure);
            if problem.status == Status::Discard {
                std::mem::swap(&mut self.run, &mut before);
                panics::discard(self.lifted.take());
                panics::discard(self.reversed.take());
            }
            problem
        });
        // Models whose `Drop` panics have been warned of elsewhere.
        panics::discard(before);
        stopped
    }
}
