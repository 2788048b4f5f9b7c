//! Which function is allowed in which mode of an instance, from the strict and tolerant columns of the standard's table
//! ([`fmu_standard::fmi2::calls`]), and which may discard.

use crate::instance::{Function, Mode};
use fmu_standard::extension;
use fmu_standard::fmi2::calls::{self, Call, State, States};

macro_rules! functions {
    ($($name:ident = $call:expr,)+) => {
        /// The functions that are called on an instance, in the order of the standard's header, then our own.
        #[allow(missing_docs)]
        pub mod function {
            use super::*;
            $(pub const $name: Function = row($call);)+
        }

        #[cfg(test)]
        const ALL: &[Function] = &[$(function::$name),+];
    };
}

// A step is complete when fmi2DoStep returns, so that there is nothing to cancel. The conditions on single variables (which
// may be set when) are with the variables.
functions! {
    SetDebugLogging = calls::fmi2SetDebugLogging,
    SetupExperiment = calls::fmi2SetupExperiment,
    EnterInitializationMode = calls::fmi2EnterInitializationMode,
    ExitInitializationMode = calls::fmi2ExitInitializationMode,
    Terminate = calls::fmi2Terminate,
    Reset = calls::fmi2Reset,
    GetReal = calls::fmi2GetReal,
    GetInteger = calls::fmi2GetInteger,
    GetBoolean = calls::fmi2GetBoolean,
    GetString = calls::fmi2GetString,
    SetReal = calls::fmi2SetReal,
    SetInteger = calls::fmi2SetInteger,
    SetBoolean = calls::fmi2SetBoolean,
    SetString = calls::fmi2SetString,
    GetFMUstate = calls::fmi2GetFMUstate,
    SetFMUstate = calls::fmi2SetFMUstate,
    FreeFMUstate = calls::fmi2FreeFMUstate,
    SerializedFMUstateSize = calls::fmi2SerializedFMUstateSize,
    SerializeFMUstate = calls::fmi2SerializeFMUstate,
    DeSerializeFMUstate = calls::fmi2DeSerializeFMUstate,
    GetDirectionalDerivative = calls::fmi2GetDirectionalDerivative,
    EnterEventMode = calls::fmi2EnterEventMode,
    NewDiscreteStates = calls::fmi2NewDiscreteStates,
    EnterContinuousTimeMode = calls::fmi2EnterContinuousTimeMode,
    CompletedIntegratorStep = calls::fmi2CompletedIntegratorStep,
    SetTime = calls::fmi2SetTime,
    SetContinuousStates = calls::fmi2SetContinuousStates,
    GetDerivatives = calls::fmi2GetDerivatives,
    GetEventIndicators = calls::fmi2GetEventIndicators,
    GetContinuousStates = calls::fmi2GetContinuousStates,
    GetNominalsOfContinuousStates = calls::fmi2GetNominalsOfContinuousStates,
    SetRealInputDerivatives = calls::fmi2SetRealInputDerivatives,
    GetRealOutputDerivatives = calls::fmi2GetRealOutputDerivatives,
    DoStep = calls::fmi2DoStep,
    CancelStep = calls::fmi2CancelStep,
    GetStatus = calls::fmi2GetStatus,
    GetRealStatus = calls::fmi2GetRealStatus,
    GetIntegerStatus = calls::fmi2GetIntegerStatus,
    GetBooleanStatus = calls::fmi2GetBooleanStatus,
    GetStringStatus = calls::fmi2GetStringStatus,
    StabilizeInputs = extension::STABILIZE_INPUTS,
    GetStates = extension::GET_STATES,
}

/// The functions that the standard lets answer `fmi2Discard` (section 2.1.3).
const MAY_DISCARD: &[&str] = &[
    "fmi2SetReal",
    "fmi2SetInteger",
    "fmi2SetBoolean",
    "fmi2SetString",
    "fmi2SetContinuousStates",
    "fmi2GetReal",
    "fmi2GetDerivatives",
    "fmi2GetContinuousStates",
    "fmi2GetEventIndicators",
    "fmi2DoStep",
    "fmi2GetStatus",
    "fmi2GetRealStatus",
    "fmi2GetIntegerStatus",
    "fmi2GetBooleanStatus",
    "fmi2GetStringStatus",
];

/// The functions that neither evaluate nor copy the model.
const LIGHT: &[&str] = &[
    "fmi2SetTime",
    "fmi2SetContinuousStates",
    "fmi2SetDebugLogging",
    "fmi2GetNominalsOfContinuousStates",
    "fmi2FreeFMUstate",
];

const fn row(call: Call) -> Function {
    let model_exchange = modes(call.model_exchange.or(call.tolerant), &call);
    Function {
        name: call.name,
        model_exchange,
        co_simulation: modes(call.co_simulation, &call),
        unconditional: match is_one_of(call.name, &["fmi2SetTime"]) {
            // Condition 8 of the table: in event mode it depends on the model.
            true => Mode::ContinuousTime.bit(),
            false => model_exchange,
        },
        may_discard: is_one_of(call.name, MAY_DISCARD),
        is_light: is_one_of(call.name, LIGHT),
        never: match is_one_of(call.name, &["fmi2CancelStep"]) {
            true => Some(
                "there is no step to cancel: fmi2DoStep returns when a step is over, as canRunAsynchronuously declares",
            ),
            false => None,
        },
    }
}

/// The modes in which a function may be called. After a panic no values are read, not even for debugging.
const fn modes(states: States, call: &Call) -> u32 {
    let mut set = 0;
    let mut index = 0;
    while index < Mode::ALL.len() {
        let mode = Mode::ALL[index];
        let is_trusted = !matches!(mode, Mode::Panicked) || !call.debugging.has(State::Error);
        if states.has(state(mode)) && is_trusted {
            set |= mode.bit();
        }
        index += 1;
    }
    set
}

/// The state of the standard's table that a mode is.
const fn state(mode: Mode) -> State {
    match mode {
        Mode::Instantiated => State::Instantiated,
        Mode::Initialization => State::Initialization,
        Mode::Event => State::Event,
        Mode::ContinuousTime => State::ContinuousTime,
        Mode::StepComplete => State::StepComplete,
        Mode::Terminated => State::Terminated,
        Mode::StepFailed => State::StepFailed,
        Mode::Error | Mode::Panicked => State::Error,
    }
}

const fn is_one_of(name: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(name.as_bytes(), names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::VOCABULARY;
    use super::{ALL, LIGHT, MAY_DISCARD, function};
    use crate::instance::{Function, Interface, Mode};

    #[test]
    fn a_refusal_names_where_it_is_and_where_it_would_be_allowed() {
        let refusal = |function: Function, mode, interface| function.refusal(mode, interface, &VOCABULARY);
        let exchanged = |function, mode| refusal(function, mode, Interface::ModelExchange);
        assert_eq!(
            exchanged(function::Terminate, Mode::Initialization),
            "not allowed in initialization mode, only in event mode or continuous-time mode"
        );
        assert_eq!(
            exchanged(function::DoStep, Mode::Event),
            "not allowed: the instance was made for Model Exchange"
        );
        assert!(exchanged(function::GetReal, Mode::Panicked).contains("fmi2Reset"));
        let simulated = |function, mode| refusal(function, mode, Interface::CoSimulation);
        assert_eq!(
            simulated(function::DoStep, Mode::StepFailed),
            "not allowed in the state 'step failed', only in the state 'step complete'"
        );
        assert!(simulated(function::CancelStep, Mode::StepComplete).contains("no step to cancel"));
        assert!(simulated(function::SetTime, Mode::StepComplete).contains("made for Co-Simulation"));
    }

    #[test]
    fn every_function_of_the_standard_is_there() {
        let names = ALL.iter().map(|function| function.name);
        let ours: Vec<&str> = names.filter(|name| name.starts_with("fmi2")).collect();
        let created_without_instance = [
            "fmi2GetTypesPlatform",
            "fmi2GetVersion",
            "fmi2Instantiate",
            "fmi2FreeInstance",
        ];
        let standard: Vec<&str> = fmu_standard::fmi2::functions(true, true)
            .filter(|name| !created_without_instance.contains(name))
            .collect();
        assert_eq!(ours, standard);
    }

    #[test]
    fn every_name_in_a_list_is_that_of_a_function() {
        let discarding = ALL.iter().filter(|function| function.may_discard).count();
        let light = ALL.iter().filter(|function| function.is_light).count();
        assert_eq!((discarding, light), (MAY_DISCARD.len(), LIGHT.len()));
    }
}
