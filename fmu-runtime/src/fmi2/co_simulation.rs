//! The functions of Co-Simulation: communication steps with the integrator inside, input and output curves, and how the
//! last step went.

use super::functions::Mode;
use super::instance::Instance;
use super::logger::EVENTS;
use super::problem::{Outcome, Problem};
use super::variables::name_of;
use crate::Event;
use crate::cosim::{
    Cause, CoSimulation, Failure, Happening, MAX_INPUT_ORDER, MAX_OUTPUT_ORDER, Options, Reached,
};
use crate::describe::Base;
use crate::evaluator::Stale;
use crate::model::Model;
use fmu_standard::fmi2::{
    fmi2Boolean, fmi2Discard, fmi2DoStepStatus, fmi2Integer, fmi2LastSuccessfulTime, fmi2OK,
    fmi2PendingStatus, fmi2Real, fmi2Status, fmi2StatusKind, fmi2Terminated, fmi2ValueReference,
};

/// A communication point may be off by this part of the step, or by some roundings: the caller's sum has drifted.
const DRIFT: f64 = 1e-6;
const ROUNDINGS: f64 = 16.0;

/// What a snapshot of a co-simulation keeps beside the model.
#[derive(Clone)]
pub(super) struct Steps {
    pub memory: CoSimulation,
    /// How the last step ended.
    pub status: fmi2Status,
    /// The model has ended the simulation.
    pub terminated: bool,
}

impl Steps {
    pub fn new(memory: CoSimulation) -> Steps {
        Steps {
            memory,
            status: fmi2OK,
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
            // A simulation that is over before it begins: the first step says so.
            reached.map_err(|failure| of_failure(&failure))?;
        }
        self.enter(Mode::StepComplete);
        Ok(())
    }

    /// Integrator, tolerance and step size: the environment's tolerance before the model's parameters, these before its
    /// attributes.
    fn options(&self) -> Options {
        let mut options = Options::of(self.run.evaluator.model());
        if let Some(tolerance) = self.run.tolerance {
            options.tolerance = tolerance;
        }
        options
    }

    /// `fmi2DoStep`.
    pub fn do_step(&mut self, point: f64, step: f64) -> Outcome {
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
        let reached = steps
            .memory
            .advance(&mut self.run.evaluator, workspace, end, on_event);
        self.run.evaluator.tell(&steps.memory.statistics());
        let problem = match reached {
            Ok(Reached::End) => {
                steps.status = fmi2OK;
                return Ok(());
            }
            Ok(Reached::Termination) => {
                steps.terminated = true;
                let t = self.run.evaluator.time();
                Problem::discard(format!("the model has ended the simulation at t = {t}"))
            }
            Err(failure) => of_failure(&failure),
        };
        steps.status = problem.status;
        if problem.status == fmi2Discard {
            self.enter(Mode::StepFailed);
        }
        Err(problem)
    }

    /// `fmi2SetRealInputDerivatives`.
    pub fn set_real_input_derivatives(
        &mut self,
        references: &[fmi2ValueReference],
        orders: &[fmi2Integer],
        values: &[fmi2Real],
    ) -> Outcome {
        for (&reference, &order) in references.iter().zip(orders) {
            let entry = self.variables.reals.get(reference as usize);
            if !entry.is_some_and(|entry| entry.is_curve()) {
                return Err(self.no_curve(reference, "is no continuous Real input"));
            }
            if !is_order(order, MAX_INPUT_ORDER) {
                return Err(self.no_curve(
                    reference,
                    &format!("has no derivative of order {order}; 1 to {MAX_INPUT_ORDER} are heeded"),
                ));
            }
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(Problem::error(format!("a derivative is {value}")));
        }
        if let Some(steps) = &mut self.run.steps {
            for ((&reference, &order), &value) in references.iter().zip(orders).zip(values) {
                steps
                    .memory
                    .set_input_derivative(reference as usize, order as usize, value);
            }
        }
        Ok(())
    }

    /// `fmi2GetRealOutputDerivatives`.
    pub fn get_real_output_derivatives(
        &mut self,
        references: &[fmi2ValueReference],
        orders: &[fmi2Integer],
        values: &mut [fmi2Real],
    ) -> Outcome {
        for (&reference, &order) in references.iter().zip(orders) {
            let entry = self.variables.reals.get(reference as usize);
            if !entry.is_some_and(|entry| entry.is_output) {
                return Err(self.no_curve(reference, "is no Real output"));
            }
            if !is_order(order, MAX_OUTPUT_ORDER) {
                return Err(self.no_curve(
                    reference,
                    &format!("has no derivative of order {order}; there are 1 to {MAX_OUTPUT_ORDER}"),
                ));
            }
        }
        if references.is_empty() {
            return Ok(());
        }
        self.run.evaluator.ensure(Stale::FOR_INITIAL)?;
        let (Some(steps), Some(workspace)) = (&self.run.steps, &mut self.workspace) else {
            return Err(Problem::error("the instance was not made for Co-Simulation"));
        };
        let series = workspace.series(&self.run.evaluator, &steps.memory)?;
        for ((&reference, &order), value) in references.iter().zip(orders).zip(values) {
            *value = series.derivative(reference as usize, order as usize);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn no_curve(&self, reference: fmi2ValueReference, what: &str) -> Box<Problem> {
        match self.variables.reals.get(reference as usize) {
            Some(_) => Problem::error(format!(
                "'{}' (value reference {reference}) {what}",
                name_of::<M>(Base::Real, reference as usize)
            )),
            None => Problem::error(format!("no Real variable has the value reference {reference}")),
        }
    }

    /// `fmi2GetStatus`.
    pub fn get_status(&self, kind: fmi2StatusKind) -> Outcome<fmi2Status> {
        match (kind, &self.run.steps) {
            (fmi2DoStepStatus, Some(steps)) => Ok(steps.status),
            _ => Err(no_status(kind, "fmi2Status")),
        }
    }

    /// `fmi2GetRealStatus`.
    pub fn get_real_status(&self, kind: fmi2StatusKind) -> Outcome<fmi2Real> {
        match kind {
            fmi2LastSuccessfulTime => Ok(self.run.evaluator.time()),
            _ => Err(no_status(kind, "fmi2Real")),
        }
    }

    /// `fmi2GetIntegerStatus`.
    pub fn get_integer_status(&self, kind: fmi2StatusKind) -> Outcome<fmi2Integer> {
        Err(no_status(kind, "fmi2Integer"))
    }

    /// `fmi2GetBooleanStatus`.
    pub fn get_boolean_status(&self, kind: fmi2StatusKind) -> Outcome<fmi2Boolean> {
        match (kind, &self.run.steps) {
            (fmi2Terminated, Some(steps)) => Ok(steps.terminated.into()),
            _ => Err(no_status(kind, "fmi2Boolean")),
        }
    }

    /// `fmi2GetStringStatus`: nothing is ever under way that there could be a word about.
    pub fn get_string_status(&self, kind: fmi2StatusKind) -> Outcome {
        Err(no_status(kind, "fmi2String"))
    }
}

fn is_order(order: fmi2Integer, highest: usize) -> bool {
    usize::try_from(order).is_ok_and(|order| (1..=highest).contains(&order))
}

fn no_status(kind: fmi2StatusKind, what: &str) -> Box<Problem> {
    match kind {
        fmi2DoStepStatus | fmi2PendingStatus | fmi2LastSuccessfulTime | fmi2Terminated => {
            Problem::discard(format!("there is no such status as {what}"))
        }
        other => Problem::error(format!(
            "the kind of status is {}, which FMI 2.0 does not know",
            other.0
        )),
    }
}

fn of_failure(failure: &Failure) -> Box<Problem> {
    let sentence = format!("the step ends at t = {}: {failure}", failure.time);
    let problem = match failure.is_recoverable() {
        true => Problem::discard(sentence),
        false => Problem::error(sentence),
    };
    problem.of_evaluation()
}

/// One pass of an event, as Model Exchange tells it.
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
