//! The functions of Co-Simulation: communication steps with the integrator inside, input and output curves, and how the
//! last step went.

use super::logger::EVENTS;
use super::problem::{Outcome, Problem, Status};
use super::variables::name_of;
use super::{Instance, Mode};
use crate::Event;
use crate::cosim::{
    Cause, CoSimulation, Failure, Happening, MAX_INPUT_ORDER, MAX_OUTPUT_ORDER, Options, Stopped, Stops,
};
use crate::describe::Base;
use crate::evaluator::Stale;
use crate::model::Model;

/// A communication point may be off by this part of the step, or by some roundings: the caller's sum has drifted.
const DRIFT: f64 = 1e-6;
const ROUNDINGS: f64 = 16.0;

/// What a snapshot of a co-simulation keeps beside the model.
pub(crate) struct Steps {
    pub memory: CoSimulation,
    /// How the last step ended.
    pub status: Status,
    /// The model has ended the simulation.
    pub terminated: bool,
}

fmu_numerics::clone_in_place! { [] Steps => Steps { memory, status, terminated } }

impl Steps {
    pub fn new(memory: CoSimulation) -> Steps {
        Steps {
            memory,
            status: Status::Ok,
            terminated: false,
        }
    }
}

impl<M: Model> Instance<M> {
    /// After the equations' own initialization: the integrator begins.
    pub(super) fn begin_steps(&mut self) -> Outcome {
        let options = self.options();
        if let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) {
            steps.memory.set_options(options);
            let reached = steps.memory.initialize(&mut self.run.evaluator, workspace);
            // If the simulation is over before it begins, the first step reports it.
            reached.map_err(|failure| of_failure(&failure))?;
        }
        self.enter(Mode::StepComplete);
        Ok(())
    }

    /// Integrator, tolerance and step size: the environment's tolerance before the model's parameters, these before its
    /// attributes.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::of(self.run.evaluator.model());
        if let Some(tolerance) = self.run.tolerance {
            options.tolerance = tolerance;
        }
        options
    }

    /// Makes a communication step from `point`, `step` long, with all events inside.
    pub fn do_step(&mut self, point: f64, step: f64) -> Outcome {
        let end = self.end_of_step(point, step)?;
        let problem = match self.advance(end, Stops::AT_END)? {
            Ok(Stopped::Termination) => {
                if let Some(steps) = &mut self.run.steps {
                    steps.terminated = true;
                }
                let t = self.run.evaluator.time();
                Problem::discard(format!("the model has ended the simulation at t = {t}"))
            }
            Ok(_) => return Ok(()),
            Err(failure) => of_failure(&failure),
        };
        if let Some(steps) = &mut self.run.steps {
            steps.status = problem.status;
        }
        if problem.status == Status::Discard {
            self.enter(Mode::StepFailed);
        }
        Err(problem)
    }

    /// Where a communication step from `point` ends that is `step` long; an error if it cannot be made.
    pub(super) fn end_of_step(&self, point: f64, step: f64) -> Outcome<f64> {
        let now = self.run.evaluator.time();
        let end = point + step;
        if !(step > 0.0 && step.is_finite()) {
            return Err(Problem::error(format!(
                "communicationStepSize is {step}; a step is longer than 0"
            )));
        }
        let drift = (DRIFT * step).max(ROUNDINGS * f64::EPSILON * now.abs().max(point.abs()));
        if point.is_nan() || (point - now).abs() > drift {
            return Err(Problem::error(format!(
                "currentCommunicationPoint is {point}, but the last step has ended at t = {now}"
            )));
        }
        self.commit_to(end)?;
        if end <= now {
            return Err(Problem::error(format!(
                "communicationStepSize is {step}, too small to advance t = {now}"
            )));
        }
        Ok(end)
    }

    /// Advances to `end`, or to where the step stops before it.
    pub(super) fn advance(&mut self, end: f64, stops: Stops) -> Outcome<Result<Stopped, Failure>> {
        let listens = self.logger.wants(EVENTS);
        let logger = &self.logger;
        let (Some(steps), Some(workspace)) = (&mut self.run.steps, &mut self.workspace) else {
            return Err(Problem::error("the instance was not made for Co-Simulation"));
        };
        let on_event = |happening: &Happening| {
            if listens {
                logger.say_event(&describe(happening));
            }
        };
        let evaluator = &mut self.run.evaluator;
        let stopped = steps
            .memory
            .advance_to_event(evaluator, workspace, (end, stops), on_event);
        evaluator.write_statistics(&steps.memory.statistics());
        if stopped.is_ok() {
            steps.status = Status::Ok;
        }
        Ok(stopped)
    }

    /// Sets derivatives of continuous inputs, by slot and order, for the step to come.
    pub fn set_input_derivatives(&mut self, slots: &[u32], orders: &[i32], values: &[f64]) -> Outcome {
        for (&slot, &order) in slots.iter().zip(orders) {
            let entry = self.variables.reals.get(slot as usize);
            if !entry.is_some_and(|entry| entry.is_curve()) {
                return Err(self.not_this_variable(slot, "is not a continuous Real input"));
            }
            if !is_order(order, MAX_INPUT_ORDER) {
                return Err(self.not_this_variable(
                    slot,
                    &format!("has no derivative of order {order}; 1 to {MAX_INPUT_ORDER} are used"),
                ));
            }
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(Problem::error(format!("a derivative is {value}")));
        }
        if let Some(steps) = &mut self.run.steps {
            for ((&slot, &order), &value) in slots.iter().zip(orders).zip(values) {
                steps
                    .memory
                    .set_input_derivative(slot as usize, order as usize, value);
            }
        }
        Ok(())
    }

    /// Reads derivatives of outputs with respect to time, by slot and order.
    pub fn get_output_derivatives(&mut self, slots: &[u32], orders: &[i32], values: &mut [f64]) -> Outcome {
        for (&slot, &order) in slots.iter().zip(orders) {
            let entry = self.variables.reals.get(slot as usize);
            if !entry.is_some_and(|entry| entry.is_output) {
                return Err(self.not_this_variable(slot, "is not a Real output"));
            }
            if !is_order(order, MAX_OUTPUT_ORDER) {
                return Err(self.not_this_variable(
                    slot,
                    &format!("has no derivative of order {order}; there are 1 to {MAX_OUTPUT_ORDER}"),
                ));
            }
        }
        if slots.is_empty() {
            return Ok(());
        }
        self.run.evaluator.ensure(Stale::FOR_INITIAL)?;
        let (Some(steps), Some(workspace)) = (&self.run.steps, &mut self.workspace) else {
            return Err(Problem::error("the instance was not made for Co-Simulation"));
        };
        let series = workspace.series(&mut self.run.evaluator, &steps.memory)?;
        for ((&slot, &order), value) in slots.iter().zip(orders).zip(values) {
            *value = series.derivative(slot as usize, order as usize);
        }
        Ok(())
    }

    /// Why a Real variable cannot be used here.
    #[cold]
    pub(super) fn not_this_variable(&self, slot: u32, why: &str) -> Box<Problem> {
        let count = self.variables.reals.len();
        if slot as usize >= count {
            return Problem::error((self.vocabulary.unknown_variable)(
                Base::Real,
                slot as usize,
                count,
            ));
        }
        let name = name_of::<M>(Base::Real, slot as usize);
        let variable = (self.vocabulary.variable)(Base::Real, &name, slot as usize);
        Problem::error(format!("{variable} {why}"))
    }
}

fn is_order(order: i32, highest: usize) -> bool {
    usize::try_from(order).is_ok_and(|order| (1..=highest).contains(&order))
}

pub(super) fn of_failure(failure: &Failure) -> Box<Problem> {
    let sentence = format!("the step ends at t = {}: {failure}", failure.time);
    let problem = match failure.is_recoverable() {
        true => Problem::discard(sentence),
        false => Problem::error(sentence),
    };
    problem.of_evaluation()
}

/// One pass of an event, in the words of Model Exchange.
fn describe(happening: &Happening) -> String {
    let Happening {
        time,
        cause,
        iteration,
        pass,
    } = *happening;
    let occasion = Event {
        initial: cause == Cause::Initial,
        scheduled: cause == Cause::Time,
        step: cause == Cause::Step,
        iteration,
        ..Event::at(time)
    };
    super::model_exchange::describe(occasion, pass.next, pass.states_changed, pass.next_event_time)
}
