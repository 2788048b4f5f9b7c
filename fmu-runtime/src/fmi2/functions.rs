//! Which function is allowed in which mode of an instance, from the tolerant columns of the standard's table
//! ([`fmu_standard::fmi2::calls`]).

use crate::stored::{Damaged, Reader, Stored, Writer};
use fmu_standard::extension;
use fmu_standard::fmi2::calls::{self, Call, State, States};
use std::fmt;

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// After `fmi2Instantiate` or `fmi2Reset`.
    Instantiated,
    /// Initialization mode.
    Initialization,
    /// Event mode.
    Event,
    /// Continuous-time mode.
    ContinuousTime,
    /// Co-simulation: initialized, or a step is complete.
    StepComplete,
    /// After `fmi2Terminate`.
    Terminated,
    /// Co-simulation: a step was not completed, or the model has ended the simulation.
    StepFailed,
    /// After `fmi2Error`.
    Error,
    /// After a panic in the model: its variables cannot be trusted.
    Panicked,
}

impl Mode {
    const ALL: [Mode; 9] = [
        Mode::Instantiated,
        Mode::Initialization,
        Mode::Event,
        Mode::ContinuousTime,
        Mode::StepComplete,
        Mode::Terminated,
        Mode::StepFailed,
        Mode::Error,
        Mode::Panicked,
    ];

    /// The state of the standard's table that it is.
    const fn state(self) -> State {
        match self {
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

    /// A set of modes has one bit for each.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self as u8
    }
}

impl Stored for Mode {
    fn store(&self, out: &mut Writer<'_>) {
        (*self as u8).store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Mode, Damaged> {
        let number = u8::load(from)?;
        let known = Mode::ALL.into_iter().find(|mode| *mode as u8 == number);
        // Of an instance that has panicked there are no snapshots.
        known
            .filter(|mode| *mode != Mode::Panicked)
            .ok_or(Damaged("a mode is none"))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Instantiated => "the state 'instantiated'",
            Mode::Initialization => "initialization mode",
            Mode::Event => "event mode",
            Mode::ContinuousTime => "continuous-time mode",
            Mode::StepComplete => "the state 'step complete'",
            Mode::Terminated => "the state 'terminated'",
            Mode::StepFailed => "the state 'step failed'",
            Mode::Error => "the state 'error'",
            Mode::Panicked => "the state 'error' after a panic of the model",
        })
    }
}

/// The modes in which a function may be called. After a panic no values are read, not even for debugging.
const fn modes(states: States, call: Call) -> u32 {
    let mut set = 0;
    let mut index = 0;
    while index < Mode::ALL.len() {
        let mode = Mode::ALL[index];
        let is_trusted = !matches!(mode, Mode::Panicked) || !call.debugging.has(State::Error);
        if states.has(mode.state()) && is_trusted {
            set |= mode.bit();
        }
        index += 1;
    }
    set
}

/// What an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// An integrator outside.
    ModelExchange,
    /// An integrator inside.
    CoSimulation,
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Interface::ModelExchange => "Model Exchange",
            Interface::CoSimulation => "Co-Simulation",
        })
    }
}

macro_rules! functions {
    ($($name:ident = $call:expr,)+) => {
        /// The functions that are called on an instance, in the order of the standard's header, then our own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Function {
            $(#[allow(missing_docs)] $name,)+
        }

        impl Function {
            const MODEL_EXCHANGE: &[u32] = &[$(modes(tolerated($call.model_exchange, $call), $call)),+];
            const CO_SIMULATION: &[u32] = &[$(modes($call.co_simulation, $call)),+];
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$name),+];

            /// The function's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$name => $call.name,)+
                }
            }
        }
    };
}

/// Both columns of a call: what the standard allows and what hosts do all the same.
const fn tolerated(strict: States, call: Call) -> States {
    strict.or(call.tolerant)
}

// A step is complete when fmi2DoStep returns, so that there is nothing to cancel. The conditions on single variables (which may
// be set when) are with the variables.
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

impl Function {
    /// The modes in which the function may be called, one bit each.
    #[inline(always)]
    pub const fn modes(self, interface: Interface) -> u32 {
        match interface {
            Interface::ModelExchange => Function::MODEL_EXCHANGE[self as usize],
            Interface::CoSimulation => Function::CO_SIMULATION[self as usize],
        }
    }

    /// The modes of Model Exchange in which the function may be called whatever the model is like.
    #[inline(always)]
    pub(super) const fn unconditional_modes(self) -> u32 {
        match self {
            // Condition 8 of the table.
            Function::SetTime => Mode::ContinuousTime.bit(),
            _ => self.modes(Interface::ModelExchange),
        }
    }

    /// Whether the function may be called in `mode`.
    pub const fn is_allowed_in(self, mode: Mode, interface: Interface) -> bool {
        self.modes(interface) & mode.bit() != 0
    }

    /// Whether the standard lets the function answer `fmi2Discard` (section 2.1.3).
    pub const fn may_discard(self) -> bool {
        use Function::*;
        matches!(
            self,
            SetReal
                | SetInteger
                | SetBoolean
                | SetString
                | SetContinuousStates
                | GetReal
                | GetDerivatives
                | GetContinuousStates
                | GetEventIndicators
                | DoStep
                | GetStatus
                | GetRealStatus
                | GetIntegerStatus
                | GetBooleanStatus
                | GetStringStatus
        )
    }

    /// Why the function may not be called in `mode`.
    pub(super) fn refusal(self, mode: Mode, interface: Interface) -> String {
        let allowed: Vec<String> = Mode::ALL
            .into_iter()
            .filter(|&mode| self.is_allowed_in(mode, interface) && mode != Mode::Panicked)
            .map(|mode| mode.to_string())
            .collect();
        match (allowed.as_slice(), mode) {
            ([], _) if self == Function::CancelStep => {
                "there is no step to cancel: fmi2DoStep returns when a step is over, as canRunAsynchronuously says"
                    .to_owned()
            }
            ([], _) => format!("not allowed: the instance was made for {interface}"),
            (_, Mode::Panicked) => {
                format!("not allowed in {mode}; only fmi2Reset, fmi2SetFMUstate and fmi2FreeInstance help")
            }
            (allowed, _) => format!("not allowed in {mode}, only in {}", enumerate(allowed)),
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
fn enumerate(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, Interface, Mode};

    #[test]
    fn a_refusal_names_where_it_is_and_where_it_would_be_allowed() {
        let exchanged = |function: Function, mode| function.refusal(mode, Interface::ModelExchange);
        assert_eq!(
            exchanged(Function::Terminate, Mode::Initialization),
            "not allowed in initialization mode, only in event mode or continuous-time mode"
        );
        assert_eq!(
            exchanged(Function::DoStep, Mode::Event),
            "not allowed: the instance was made for Model Exchange"
        );
        assert!(exchanged(Function::GetReal, Mode::Panicked).contains("fmi2Reset"));
        let simulated = |function: Function, mode| function.refusal(mode, Interface::CoSimulation);
        assert_eq!(
            simulated(Function::DoStep, Mode::StepFailed),
            "not allowed in the state 'step failed', only in the state 'step complete'"
        );
        assert!(simulated(Function::CancelStep, Mode::StepComplete).contains("no step to cancel"));
        assert!(simulated(Function::SetTime, Mode::StepComplete).contains("made for Co-Simulation"));
    }

    #[test]
    fn every_function_of_the_standard_is_there() {
        let names = Function::ALL.iter().map(|function| function.name());
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
}
