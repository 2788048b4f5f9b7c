//! R4: each call in each state.

use fmu_standard::description::{Causality, Initial, ModelVariable, Variability};
use fmu_standard::fmi2::calls::{self, Call};
use fmu_standard::fmi2::legality::{self, Phase, Role};
use fmu_standard::fmi2::{self, fmi2EventInfo};
use fmu_standard::shared::MOST_EVENT_INDICATORS;

use super::child::Probe;
use super::raw::{Raw, raw};
use super::steps::Steps;
use crate::described::initial;
use fmu_importer::{BaseType, Error, State, Status};

/// How a function answers in a state.
struct Answer {
    status: Option<Status>,
    /// There was nothing to do: a list of no variables says little.
    empty: bool,
}

/// A row of the standard's table and how to make its call.
struct Row {
    row: Call,
    call: fn(&Probe, &Raw, State) -> Answer,
}

macro_rules! rows {
    ($($name:ident => $call:expr;)+) => {
        &[$(Row { row: calls::$name, call: $call }),+]
    };
}

fn answer(status: Option<Status>) -> Answer {
    Answer { status, empty: false }
}

static COMMON: &[Row] = rows! {
    fmi2SetDebugLogging => |probe, raw, _| {
        answer(raw!(probe.library, fmi2SetDebugLogging(raw.component, 0, 0, std::ptr::null())))
    };
    fmi2SetupExperiment => |probe, raw, _| {
        answer(raw!(probe.library, fmi2SetupExperiment(raw.component, 0, 0.0, probe.plan.start, 0, 0.0)))
    };
    fmi2EnterInitializationMode => |probe, raw, state| {
        if state == State::Instantiated {
            raw!(probe.library, fmi2SetupExperiment(raw.component, 0, 0.0, probe.plan.start, 0, 0.0));
        }
        answer(raw!(probe.library, fmi2EnterInitializationMode(raw.component)))
    };
    fmi2ExitInitializationMode => |probe, raw, _| {
        answer(raw!(probe.library, fmi2ExitInitializationMode(raw.component)))
    };
    fmi2Terminate => |probe, raw, _| answer(raw!(probe.library, fmi2Terminate(raw.component)));
    fmi2Reset => |probe, raw, _| answer(raw!(probe.library, fmi2Reset(raw.component)));
    fmi2GetFMUstate => |probe, raw, _| {
        let mut state = std::ptr::null_mut();
        let status = raw!(probe.library, fmi2GetFMUstate(raw.component, &mut state));
        if status == Some(Status::Ok) {
            raw!(probe.library, fmi2FreeFMUstate(raw.component, &mut state));
        }
        answer(status)
    };
    fmi2SetFMUstate => |probe, raw, state| {
        let mut snapshot = std::ptr::null_mut();
        let taken = raw!(probe.library, fmi2GetFMUstate(raw.component, &mut snapshot));
        if taken != Some(Status::Ok) {
            // After an error a snapshot need not be taken; one that is taken leads out of it (`back_from_error`).
            return Answer { status: taken, empty: true };
        }
        let mut size = 0;
        if probe.interface.can_serialize_fmu_state && state != State::Error {
            raw!(probe.library, fmi2SerializedFMUstateSize(raw.component, snapshot, &mut size));
        }
        let status = raw!(probe.library, fmi2SetFMUstate(raw.component, snapshot));
        raw!(probe.library, fmi2FreeFMUstate(raw.component, &mut snapshot));
        answer(status)
    };
    fmi2GetDirectionalDerivative => |probe, raw, _| {
        // Empty lists: only whether the state allows the call is tested.
        let (none, no_seed) = (std::ptr::null(), std::ptr::null());
        let status = raw!(probe.library,
            fmi2GetDirectionalDerivative(raw.component, none, 0, none, 0, no_seed, std::ptr::null_mut()));
        answer(status)
    };
    fmi2GetReal => |probe, raw, state| {
        let references = readable(probe, BaseType::Real, state);
        let status = raw!(probe.library, fmi2GetReal(raw.component, references.as_ptr(), references.len(), &mut 0.0));
        Answer { status, empty: references.is_empty() }
    };
    fmi2GetInteger => |probe, raw, state| {
        let references = readable(probe, BaseType::Integer, state);
        let status = raw!(probe.library, fmi2GetInteger(raw.component, references.as_ptr(), references.len(), &mut 0));
        Answer { status, empty: references.is_empty() }
    };
    fmi2GetBoolean => |probe, raw, state| {
        let references = readable(probe, BaseType::Boolean, state);
        let status = raw!(probe.library, fmi2GetBoolean(raw.component, references.as_ptr(), references.len(), &mut 0));
        Answer { status, empty: references.is_empty() }
    };
    fmi2GetString => |probe, raw, state| {
        let references = readable(probe, BaseType::String, state);
        let mut text = std::ptr::null();
        let status = raw!(probe.library, fmi2GetString(raw.component, references.as_ptr(), references.len(), &mut text));
        Answer { status, empty: references.is_empty() }
    };
    fmi2SetReal => |probe, raw, state| {
        let references = settable(probe, BaseType::Real, state);
        let value = references.first().and_then(|reference| start(probe, BaseType::Real, *reference)).unwrap_or(0.0);
        let status = raw!(probe.library, fmi2SetReal(raw.component, references.as_ptr(), references.len(), &value));
        Answer { status, empty: references.is_empty() }
    };
    fmi2SetInteger => |probe, raw, state| {
        let references = settable(probe, BaseType::Integer, state);
        let value = references.first().and_then(|reference| start(probe, BaseType::Integer, *reference));
        let value = value.unwrap_or(0.0) as i32;
        let status = raw!(probe.library, fmi2SetInteger(raw.component, references.as_ptr(), references.len(), &value));
        Answer { status, empty: references.is_empty() }
    };
    fmi2SetBoolean => |probe, raw, state| {
        let references = settable(probe, BaseType::Boolean, state);
        let status = raw!(probe.library, fmi2SetBoolean(raw.component, references.as_ptr(), references.len(), &0));
        Answer { status, empty: references.is_empty() }
    };
    fmi2SetString => |probe, raw, state| {
        let references = settable(probe, BaseType::String, state);
        let status =
            raw!(probe.library, fmi2SetString(raw.component, references.as_ptr(), references.len(), &c"".as_ptr()));
        Answer { status, empty: references.is_empty() }
    };
};

static MODEL_EXCHANGE: &[Row] = rows! {
    fmi2EnterEventMode => |probe, raw, _| answer(raw!(probe.library, fmi2EnterEventMode(raw.component)));
    fmi2NewDiscreteStates => |probe, raw, _| {
        let mut info = fmi2EventInfo::default();
        answer(raw!(probe.library, fmi2NewDiscreteStates(raw.component, &mut info)))
    };
    fmi2EnterContinuousTimeMode => |probe, raw, state| {
        // Event mode is left when the event iteration has ended.
        let mut info = fmi2EventInfo { newDiscreteStatesNeeded: 1, ..Default::default() };
        for _ in 0..if state == State::Event { 100 } else { 0 } {
            raw!(probe.library, fmi2NewDiscreteStates(raw.component, &mut info));
            if info.newDiscreteStatesNeeded == fmi2::fmi2False {
                break;
            }
        }
        answer(raw!(probe.library, fmi2EnterContinuousTimeMode(raw.component)))
    };
    fmi2CompletedIntegratorStep => |probe, raw, _| {
        answer(raw!(probe.library, fmi2CompletedIntegratorStep(raw.component, 1, &mut 0, &mut 0)))
    };
    fmi2SetTime => |probe, raw, state| {
        // In event mode only pure discrete-time FMUs need it.
        let status = raw!(probe.library, fmi2SetTime(raw.component, probe.plan.start));
        Answer { status, empty: state == State::Event }
    };
    fmi2SetContinuousStates => |probe, raw, state| {
        let mut x = states(probe);
        if state == State::ContinuousTime {
            raw!(probe.library, fmi2GetContinuousStates(raw.component, x.as_mut_ptr(), x.len()));
        }
        let status = raw!(probe.library, fmi2SetContinuousStates(raw.component, x.as_ptr(), x.len()));
        Answer { status, empty: x.is_empty() }
    };
    fmi2GetDerivatives => |probe, raw, _| {
        let mut dx = states(probe);
        let status = raw!(probe.library, fmi2GetDerivatives(raw.component, dx.as_mut_ptr(), dx.len()));
        Answer { status, empty: dx.is_empty() }
    };
    fmi2GetEventIndicators => |probe, raw, _| {
        let count = probe.fmu.description().number_of_event_indicators.unwrap_or(0);
        let mut z = vec![0.0; count.min(MOST_EVENT_INDICATORS) as usize];
        let status = raw!(probe.library, fmi2GetEventIndicators(raw.component, z.as_mut_ptr(), z.len()));
        Answer { status, empty: z.is_empty() }
    };
    fmi2GetContinuousStates => |probe, raw, _| {
        let mut x = states(probe);
        let status = raw!(probe.library, fmi2GetContinuousStates(raw.component, x.as_mut_ptr(), x.len()));
        Answer { status, empty: x.is_empty() }
    };
    fmi2GetNominalsOfContinuousStates => |probe, raw, _| {
        let mut x = states(probe);
        let status = raw!(probe.library, fmi2GetNominalsOfContinuousStates(raw.component, x.as_mut_ptr(), x.len()));
        Answer { status, empty: x.is_empty() }
    };
};

static CO_SIMULATION: &[Row] = rows! {
    fmi2DoStep => |probe, raw, _| {
        answer(raw!(probe.library, fmi2DoStep(raw.component, probe.plan.start, probe.plan.step, 1)))
    };
    fmi2GetStatus => |probe, raw, _| {
        let mut status = fmi2::fmi2OK;
        answer(raw!(probe.library, fmi2GetStatus(raw.component, fmi2::fmi2DoStepStatus, &mut status)))
    };
    fmi2GetIntegerStatus => |probe, raw, _| {
        answer(raw!(probe.library, fmi2GetIntegerStatus(raw.component, fmi2::fmi2DoStepStatus, &mut 0)))
    };
    fmi2GetBooleanStatus => |probe, raw, _| {
        answer(raw!(probe.library, fmi2GetBooleanStatus(raw.component, fmi2::fmi2Terminated, &mut 0)))
    };
    fmi2GetStringStatus => |probe, raw, _| {
        let mut text = std::ptr::null();
        answer(raw!(probe.library, fmi2GetStringStatus(raw.component, fmi2::fmi2PendingStatus, &mut text)))
    };
    // Other rules test what these two do where they are allowed.
    fmi2SetRealInputDerivatives => |probe, raw, state| {
        let input = continuous(probe, Causality::Input);
        let status = raw!(probe.library,
            fmi2SetRealInputDerivatives(raw.component, input.as_ptr(), input.len(), &1, &0.0));
        Answer { status, empty: input.is_empty() || calls::fmi2SetRealInputDerivatives.allowed().has(state) }
    };
    fmi2GetRealOutputDerivatives => |probe, raw, state| {
        let output = continuous(probe, Causality::Output);
        let status = raw!(probe.library,
            fmi2GetRealOutputDerivatives(raw.component, output.as_ptr(), output.len(), &1, &mut 0.0));
        Answer { status, empty: output.is_empty() || calls::fmi2GetRealOutputDerivatives.allowed().has(state) }
    };
    fmi2GetRealStatus => |probe, raw, _| {
        answer(raw!(probe.library, fmi2GetRealStatus(raw.component, fmi2::fmi2LastSuccessfulTime, &mut 0.0)))
    };
    fmi2CancelStep => |probe, raw, _| answer(raw!(probe.library, fmi2CancelStep(raw.component)));
};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    use State::{ContinuousTime, Error, Event, Initialization, Instantiated, StepComplete, Terminated};
    let (rows, states): (_, &[State]) = if probe.is_model_exchange() {
        (
            MODEL_EXCHANGE,
            &[
                Instantiated,
                Initialization,
                Event,
                ContinuousTime,
                Terminated,
                Error,
            ],
        )
    } else {
        (
            CO_SIMULATION,
            &[Instantiated, Initialization, StepComplete, Terminated, Error],
        )
    };
    for state in states.iter().copied() {
        for row in COMMON.iter().chain(rows) {
            // Without the capability the function need not do anything sensible.
            if !is_offered(probe, row.row.name) {
                continue;
            }
            let group = if state == Error { "error" } else { "" };
            let place = format!("{} while {state}", row.row.name);
            steps.add_to(group, "R4", place, move |probe| try_row(probe, row, state));
        }
    }
    if probe.interface.can_get_and_set_fmu_state {
        let place = "fmi2SetFMUstate after an error";
        steps.add_to("error", "R4", place, back_from_error);
    }
}

/// Whether the description offers what a function does.
fn is_offered(probe: &Probe, function: &str) -> bool {
    let cs = probe.fmu.description().co_simulation.as_ref();
    match function {
        "fmi2GetFMUstate" | "fmi2SetFMUstate" => probe.interface.can_get_and_set_fmu_state,
        "fmi2GetDirectionalDerivative" => probe.interface.provides_directional_derivative,
        "fmi2SetRealInputDerivatives" => cs.is_some_and(|cs| cs.can_interpolate_inputs),
        "fmi2GetRealOutputDerivatives" => cs.is_some_and(|cs| cs.max_output_derivative_order > 0),
        _ => true,
    }
}

/// A snapshot from before an error leads back to before it.
fn back_from_error(probe: &mut Probe) -> Result<(), Error> {
    let raw = probe.raw()?;
    let (c, mut snapshot) = (raw.component, std::ptr::null_mut());
    let library = probe.library.clone();
    let fine = |status: Option<Status>| matches!(status, Some(Status::Ok | Status::Warning));
    if !fine(raw!(library, fmi2GetFMUstate(c, &mut snapshot))) {
        return Ok(());
    }
    if raw!(library, fmi2ExitInitializationMode(c)) == Some(Status::Error) {
        let set = raw!(library, fmi2SetFMUstate(c, snapshot));
        let setup = || raw!(library, fmi2SetupExperiment(c, 0, 0.0, probe.plan.start, 0, 0.0));
        let alive = fine(set) && fine(setup()) && fine(raw!(library, fmi2EnterInitializationMode(c)));
        if !alive {
            probe.found("R4", "the instance does not come back to life");
        }
    }
    raw!(library, fmi2FreeFMUstate(c, &mut snapshot));
    Ok(())
}

/// A continuous Real variable of a causality, as a list of one or none.
fn continuous(probe: &Probe, causality: Causality) -> Vec<u32> {
    let is = |variable: &&ModelVariable| {
        variable.causality == causality
            && variable.variability == Variability::Continuous
            && BaseType::of(&variable.kind) == BaseType::Real
    };
    let found = probe.fmu.description().model_variables.iter().find(is);
    found
        .map(|variable| variable.value_reference)
        .into_iter()
        .collect()
}

fn try_row(probe: &mut Probe, row: &Row, state: State) -> Result<(), Error> {
    let Some(raw) = probe.raw_in(state)? else {
        return Ok(());
    };
    let answer = (row.call)(probe, &raw, state);
    let Some(status) = answer.status else {
        return Ok(());
    };
    // After an error reading is for debugging, and may fail.
    let debugging = state == State::Error && row.row.debugging.has(state);
    match (row.row.allowed().has(state), status) {
        (true, Status::Error | Status::Fatal) if !debugging && !answer.empty => {
            probe.found(
                "R4",
                format!("it returns {status}, and the standard allows the call"),
            );
        }
        (true, _) => {}
        // The error was a call that is refused. An FMU that goes on after it as before does no harm.
        (false, Status::Ok | Status::Warning) if state == State::Error => {}
        (false, Status::Ok | Status::Warning) if !answer.empty => {
            // It went where it should not be: better not to be freed, or called, any more.
            probe.replace = true;
            std::mem::forget(raw);
            probe.found(
                "R4a",
                format!("it returns {status}, and the standard does not allow the call"),
            );
        }
        (false, Status::Fatal) => {
            probe.replace = true;
            std::mem::forget(raw);
            probe.found("R4", "it returns fmi2Fatal, which condemns all instances");
        }
        (false, _) => {}
    }
    Ok(())
}

fn states(probe: &Probe) -> Vec<f64> {
    vec![0.0; probe.fmu.description().model_structure.derivatives.len()]
}

/// A variable that can be read in a state, as a list of one or none.
fn readable(probe: &Probe, base_type: BaseType, state: State) -> Vec<u32> {
    let description = probe.fmu.description();
    let fits = |(position, variable): &(usize, &ModelVariable)| {
        let initially =
            || variable.causality == Causality::Output || probe.initial_unknowns.contains(position);
        BaseType::of(&variable.kind) == base_type && (state != State::Initialization || initially())
    };
    let found = description.model_variables.iter().enumerate().find(fits);
    found
        .map(|(_, variable)| variable.value_reference)
        .into_iter()
        .collect()
}

/// A variable that can be set in a state, as a list of one or none. Where the function is not allowed at all, one that
/// can be set before initialization.
fn settable(probe: &Probe, base_type: BaseType, state: State) -> Vec<u32> {
    let description = probe.fmu.description();
    let phase = match state {
        State::Initialization => Phase::Initialization,
        State::Event => Phase::Event,
        // Other types than Real cannot be set there.
        State::ContinuousTime if base_type == BaseType::Real => Phase::ContinuousTime,
        State::StepComplete => Phase::CommunicationPoint,
        _ => Phase::Instantiated,
    };
    let fits = |phase: Phase| {
        move |(position, variable): &(usize, &ModelVariable)| {
            let role = Role {
                causality: variable.causality,
                variability: variable.variability,
                initial: variable.initial,
                is_state: probe.states.contains_key(position),
                ..Role::default()
            };
            // Approximate values are guesses, which an FMU may refuse to take.
            let guess = initial(variable) == Some(Initial::Approx);
            // Hosts set discrete inputs and tunable parameters there, and an FMU may keep them for the next event.
            let waits = state == State::ContinuousTime
                && base_type != BaseType::Real
                && (variable.causality == Causality::Input || variable.variability == Variability::Tunable);
            BaseType::of(&variable.kind) == base_type
                && !guess
                && !waits
                && legality::is_settable(role, phase)
        }
    };
    let found = description.model_variables.iter().enumerate().find(fits(phase));
    found
        .map(|(_, variable)| variable.value_reference)
        .into_iter()
        .collect()
}

/// The start value of a variable, as a number.
fn start(probe: &Probe, base_type: BaseType, reference: u32) -> Option<f64> {
    let position = probe
        .fmu
        .variables()
        .position_of_reference(base_type, reference)?;
    probe.fmu.description().model_variables[position]
        .kind
        .start_number()
}
