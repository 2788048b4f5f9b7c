//! The functions of FMI 2.0 that do more than pass on their arguments: conversions, and what only this version has.

use crate::Next;
use crate::instance::{Instance, Mode, Outcome, Problem};
use crate::model::Model;
use fmu_standard::fmi2::{
    fmi2Boolean, fmi2DoStepStatus, fmi2EventInfo, fmi2Integer, fmi2LastSuccessfulTime, fmi2PendingStatus,
    fmi2Real, fmi2Status, fmi2StatusKind, fmi2Terminated, fmi2ValueReference,
};

/// `fmi2EnterInitializationMode`: the start time comes with another function.
pub fn enter_initialization_mode<M: Model>(instance: &mut Instance<M>) -> Outcome {
    if instance.run.start.is_none() {
        return Err(Problem::error(
            "the start time is not known; call fmi2SetupExperiment first",
        ));
    }
    instance.enter_initialization_mode()
}

/// `fmi2GetBoolean`.
pub fn get_boolean<M: Model>(
    instance: &mut Instance<M>,
    references: &[fmi2ValueReference],
    values: &mut [fmi2Boolean],
) -> Outcome {
    instance.get_booleans(references, |index, value| values[index] = value.into())
}

/// `fmi2SetBoolean`: everything but 0 is true.
pub fn set_boolean<M: Model>(
    instance: &mut Instance<M>,
    references: &[fmi2ValueReference],
    values: &[fmi2Boolean],
) -> Outcome {
    instance.set_booleans(references, |index| values[index] != 0)
}

/// `fmi2NewDiscreteStates`.
pub fn new_discrete_states<M: Model>(instance: &mut Instance<M>, info: &mut fmi2EventInfo) -> Outcome {
    let pass = instance.new_discrete_states()?;
    *info = fmi2EventInfo {
        newDiscreteStatesNeeded: (pass.next == Next::Iterate).into(),
        terminateSimulation: (pass.next == Next::Terminate).into(),
        nominalsOfContinuousStatesChanged: false.into(),
        valuesOfContinuousStatesChanged: pass.states_changed.into(),
        nextEventTimeDefined: pass.next_event_time.is_some().into(),
        nextEventTime: pass.next_event_time.unwrap_or(0.0),
    };
    Ok(())
}

/// `fmi2SetTime`. Condition 8 of the table: an FMU of discrete variables alone may go from event to event.
pub fn set_time<M: Model>(instance: &mut Instance<M>, time: f64) -> Outcome {
    if instance.run.mode == Mode::Event {
        if !time.is_finite() {
            return Err(Problem::error(format!("{time} is not a time")));
        }
        if !instance.variables.is_purely_discrete {
            return Err(Problem::error(
                "not allowed in event mode, only in continuous-time mode (a model of discrete variables alone could)",
            ));
        }
        if !instance.run.evaluator.is_settled() {
            return Err(Problem::error(
                "the event is not over; call fmi2NewDiscreteStates until newDiscreteStatesNeeded is false",
            ));
        }
        instance.run.evaluator.begin_event();
    }
    instance.set_time(time)
}

/// `fmi2GetStatus`.
pub fn get_status<M: Model>(instance: &Instance<M>, kind: fmi2StatusKind) -> Outcome<fmi2Status> {
    match (kind, &instance.run.steps) {
        (fmi2DoStepStatus, Some(steps)) => Ok(steps.status.into()),
        _ => Err(no_status(kind, "fmi2Status")),
    }
}

/// `fmi2GetRealStatus`.
pub fn get_real_status<M: Model>(instance: &Instance<M>, kind: fmi2StatusKind) -> Outcome<fmi2Real> {
    match kind {
        fmi2LastSuccessfulTime => Ok(instance.run.evaluator.time()),
        _ => Err(no_status(kind, "fmi2Real")),
    }
}

/// `fmi2GetIntegerStatus`.
pub fn get_integer_status(kind: fmi2StatusKind) -> Outcome<fmi2Integer> {
    Err(no_status(kind, "fmi2Integer"))
}

/// `fmi2GetBooleanStatus`.
pub fn get_boolean_status<M: Model>(instance: &Instance<M>, kind: fmi2StatusKind) -> Outcome<fmi2Boolean> {
    match (kind, &instance.run.steps) {
        (fmi2Terminated, Some(steps)) => Ok(steps.terminated.into()),
        _ => Err(no_status(kind, "fmi2Boolean")),
    }
}

/// `fmi2GetStringStatus`: a step is complete when fmi2DoStep returns, so none is ever pending.
pub fn get_string_status(kind: fmi2StatusKind) -> Outcome {
    Err(no_status(kind, "fmi2String"))
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
