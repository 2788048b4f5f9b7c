//! Which function is allowed in which mode of an instance, from the strict and tolerant columns of the standard's table
//! ([`fmu_standard::fmi3::calls`]), and which may discard.

use crate::instance::{Function, Mode};
use fmu_standard::fmi3::calls::{self, Call, State, States};

macro_rules! functions {
    ($($name:ident)+) => {
        /// The functions that are called on an instance, in the order of the standard's header.
        #[allow(missing_docs, non_upper_case_globals)]
        pub mod function {
            use super::*;
            $(pub const $name: Function = row(calls::$name);)+
        }

        #[cfg(test)]
        const ALL: &[Function] = &[$(function::$name),+];
    };
}

functions! {
    fmi3SetDebugLogging
    fmi3EnterInitializationMode
    fmi3ExitInitializationMode
    fmi3EnterEventMode
    fmi3Terminate
    fmi3Reset
    fmi3GetFloat32
    fmi3GetFloat64
    fmi3GetInt8
    fmi3GetUInt8
    fmi3GetInt16
    fmi3GetUInt16
    fmi3GetInt32
    fmi3GetUInt32
    fmi3GetInt64
    fmi3GetUInt64
    fmi3GetBoolean
    fmi3GetString
    fmi3GetBinary
    fmi3GetClock
    fmi3SetFloat32
    fmi3SetFloat64
    fmi3SetInt8
    fmi3SetUInt8
    fmi3SetInt16
    fmi3SetUInt16
    fmi3SetInt32
    fmi3SetUInt32
    fmi3SetInt64
    fmi3SetUInt64
    fmi3SetBoolean
    fmi3SetString
    fmi3SetBinary
    fmi3SetClock
    fmi3GetNumberOfVariableDependencies
    fmi3GetVariableDependencies
    fmi3GetFMUState
    fmi3SetFMUState
    fmi3FreeFMUState
    fmi3SerializedFMUStateSize
    fmi3SerializeFMUState
    fmi3DeserializeFMUState
    fmi3GetDirectionalDerivative
    fmi3GetAdjointDerivative
    fmi3EnterConfigurationMode
    fmi3ExitConfigurationMode
    fmi3GetIntervalDecimal
    fmi3GetIntervalFraction
    fmi3GetShiftDecimal
    fmi3GetShiftFraction
    fmi3SetIntervalDecimal
    fmi3SetIntervalFraction
    fmi3SetShiftDecimal
    fmi3SetShiftFraction
    fmi3EvaluateDiscreteStates
    fmi3UpdateDiscreteStates
    fmi3EnterContinuousTimeMode
    fmi3CompletedIntegratorStep
    fmi3SetTime
    fmi3SetContinuousStates
    fmi3GetContinuousStateDerivatives
    fmi3GetEventIndicators
    fmi3GetContinuousStates
    fmi3GetNominalsOfContinuousStates
    fmi3GetNumberOfEventIndicators
    fmi3GetNumberOfContinuousStates
    fmi3EnterStepMode
    fmi3GetOutputDerivatives
    fmi3DoStep
    fmi3ActivateModelPartition
}

/// The functions that leave everything as it was when they fail, so that the caller may try again with other values.
const MAY_DISCARD: &[&str] = &[
    "fmi3GetFloat64",
    "fmi3GetInt32",
    "fmi3GetInt64",
    "fmi3GetBoolean",
    "fmi3GetString",
    "fmi3SetFloat64",
    "fmi3SetInt32",
    "fmi3SetInt64",
    "fmi3SetBoolean",
    "fmi3SetString",
    "fmi3GetDirectionalDerivative",
    "fmi3GetAdjointDerivative",
    "fmi3SetContinuousStates",
    "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators",
    "fmi3GetContinuousStates",
    "fmi3GetOutputDerivatives",
    "fmi3DoStep",
];

/// The functions that neither evaluate nor copy the model.
const LIGHT: &[&str] = &[
    "fmi3SetDebugLogging",
    "fmi3FreeFMUState",
    "fmi3SetTime",
    "fmi3SetContinuousStates",
    "fmi3GetNominalsOfContinuousStates",
    "fmi3GetNumberOfEventIndicators",
    "fmi3GetNumberOfContinuousStates",
];

/// The functions that do not look at the model, and so may be called after it has panicked.
const TRUSTED: &[&str] = &[
    "fmi3SetDebugLogging",
    "fmi3Reset",
    "fmi3SetFMUState",
    "fmi3FreeFMUState",
    "fmi3SerializedFMUStateSize",
    "fmi3SerializeFMUState",
    "fmi3DeserializeFMUState",
];

const CONFIGURATION: &[&str] = &["fmi3EnterConfigurationMode", "fmi3ExitConfigurationMode"];
const PARTITION: &[&str] = &["fmi3ActivateModelPartition"];

const fn row(call: Call) -> Function {
    let never = if is_one_of(call.name, CONFIGURATION) {
        Some("there is no configuration mode: this FMU has no structural parameters")
    } else if is_one_of(call.name, PARTITION) {
        Some("this FMU does not offer Scheduled Execution")
    } else {
        None
    };
    let is_offered = never.is_none();
    let model_exchange = match is_offered {
        true => modes(call.model_exchange.or(call.tolerant), &call),
        false => 0,
    };
    // The tolerant column has continuous-time mode for Model Exchange only.
    let co_simulation = match is_offered {
        true => modes(call.co_simulation.or(call.tolerant), &call) & !Mode::ContinuousTime.bit(),
        false => 0,
    };
    Function {
        name: call.name,
        model_exchange,
        co_simulation,
        unconditional: model_exchange,
        may_discard: is_one_of(call.name, MAY_DISCARD),
        is_light: is_one_of(call.name, LIGHT),
        never,
    }
}

/// The modes in which a function may be called.
const fn modes(states: States, call: &Call) -> u32 {
    let mut set = 0;
    let mut index = 0;
    while index < Mode::ALL.len() {
        let mode = Mode::ALL[index];
        let is_allowed = match mode {
            Mode::Panicked => is_one_of(call.name, TRUSTED),
            mode => states.has(state(mode)),
        };
        if is_allowed {
            set |= mode.bit();
        }
        index += 1;
    }
    set
}

/// The state of the standard's table that a mode is. After an error an instance is terminated.
const fn state(mode: Mode) -> State {
    match mode {
        Mode::Instantiated => State::Instantiated,
        Mode::Initialization => State::Initialization,
        Mode::Event => State::Event,
        Mode::ContinuousTime => State::ContinuousTime,
        Mode::StepComplete => State::Step,
        Mode::Terminated | Mode::StepFailed | Mode::Error | Mode::Panicked => State::Terminated,
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
    use super::{ALL, CONFIGURATION, LIGHT, MAY_DISCARD, PARTITION, TRUSTED, function};
    use crate::instance::{Interface, Mode};

    #[test]
    fn a_refusal_speaks_the_language_of_3_0() {
        let refusal = function::fmi3DoStep.refusal(Mode::Event, Interface::CoSimulation, &VOCABULARY);
        assert_eq!(refusal, "not allowed in event mode, only in step mode");
        let refusal = function::fmi3EnterConfigurationMode.refusal(
            Mode::Instantiated,
            Interface::ModelExchange,
            &VOCABULARY,
        );
        assert!(refusal.contains("no structural parameters"), "{refusal}");
        let refusal = function::fmi3GetFloat64.refusal(Mode::Panicked, Interface::ModelExchange, &VOCABULARY);
        assert!(refusal.contains("fmi3Reset"), "{refusal}");
    }

    #[test]
    fn every_function_of_the_standard_is_there() {
        let ours: Vec<&str> = ALL.iter().map(|function| function.name).collect();
        let without_instance = [
            "fmi3GetVersion",
            "fmi3InstantiateModelExchange",
            "fmi3InstantiateCoSimulation",
            "fmi3InstantiateScheduledExecution",
            "fmi3FreeInstance",
        ];
        let standard: Vec<&str> = fmu_standard::fmi3::functions()
            .filter(|name| !without_instance.contains(name))
            .collect();
        assert_eq!(ours, standard);
    }

    #[test]
    fn every_name_in_a_list_is_that_of_a_function() {
        for list in [MAY_DISCARD, LIGHT, TRUSTED, CONFIGURATION, PARTITION] {
            for name in list {
                assert!(ALL.iter().any(|function| function.name == *name), "{name}");
            }
        }
    }
}
