//! The state machine of the standard: which function may be called when (FMI 2.0.5, 3.2.3 and 4.2.4).

use std::fmt;

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    /// Made, or reset.
    Instantiated,
    /// In initialization mode.
    Initialization,
    /// Model Exchange: in event mode.
    Event,
    /// Model Exchange: in continuous-time mode.
    ContinuousTime,
    /// Co-Simulation: initialized, or a step was done.
    StepComplete,
    /// Co-Simulation: an asynchronous step is under way.
    StepInProgress,
    /// Co-Simulation: the last step was discarded.
    StepFailed,
    /// Co-Simulation: the last step was cancelled.
    StepCanceled,
    /// The simulation has ended.
    Terminated,
    /// A call returned `fmi2Error`.
    Error,
    /// A call returned `fmi2Fatal`, of this instance or of another one of the same FMU.
    Fatal,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Instantiated => "instantiated and not yet initialized",
            Self::Initialization => "in initialization mode",
            Self::Event => "in event mode",
            Self::ContinuousTime => "in continuous-time mode",
            Self::StepComplete => "between two steps",
            Self::StepInProgress => "in the middle of a step",
            Self::StepFailed => "at a step that was discarded",
            Self::StepCanceled => "at a step that was cancelled",
            Self::Terminated => "terminated",
            Self::Error => "in error: reset it or go back to a snapshot",
            Self::Fatal => "lost: the FMU reported a fatal error",
        })
    }
}

/// A set of states.
#[derive(Clone, Copy)]
pub struct States(u16);

impl States {
    const fn of(states: &[State]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < states.len() {
            bits |= 1 << states[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn has(self, state: State) -> bool {
        self.0 >> state as u8 & 1 == 1
    }
}

/// The rows of the tables, under the names of the functions. Reading after an error is meant for debugging, and is
/// let through. The states of the two interfaces differ, so one set serves both.
#[allow(non_upper_case_globals, missing_docs)]
pub mod allowed {
    use super::State::{
        ContinuousTime as C, Error as X, Event as E, Initialization as Z, Instantiated as I,
        StepCanceled as K, StepComplete as P, StepFailed as F, StepInProgress as G, Terminated as T,
    };
    use super::States;

    const ALIVE: States = States::of(&[I, Z, E, C, P, F, K, T, X]);
    const READ: States = States::of(&[Z, E, C, P, F, K, T, X]);
    const STATUS: States = States::of(&[P, G, F, T]);
    const SET: States = States::of(&[I, Z, E, P]);

    pub const fmi2SetDebugLogging: States = States::of(&[I, Z, E, C, P, G, F, K, T, X]);
    pub const fmi2SetupExperiment: States = States::of(&[I]);
    pub const fmi2EnterInitializationMode: States = States::of(&[I]);
    pub const fmi2ExitInitializationMode: States = States::of(&[Z]);
    pub const fmi2Terminate: States = States::of(&[E, C, P, F]);
    pub const fmi2Reset: States = ALIVE;
    pub const fmi2GetReal: States = READ;
    pub const fmi2GetInteger: States = READ;
    pub const fmi2GetBoolean: States = READ;
    pub const fmi2GetString: States = READ;
    pub const fmi2SetReal: States = States::of(&[I, Z, E, C, P]);
    pub const fmi2SetInteger: States = SET;
    pub const fmi2SetBoolean: States = SET;
    pub const fmi2SetString: States = SET;
    pub const fmi2GetFMUstate: States = ALIVE;
    pub const fmi2SetFMUstate: States = ALIVE;
    pub const fmi2SerializedFMUstateSize: States = ALIVE;
    pub const fmi2SerializeFMUstate: States = ALIVE;
    pub const fmi2DeSerializeFMUstate: States = ALIVE;
    pub const fmi2GetDirectionalDerivative: States = READ;

    pub const fmi2EnterEventMode: States = States::of(&[E, C]);
    pub const fmi2NewDiscreteStates: States = States::of(&[E]);
    pub const fmi2EnterContinuousTimeMode: States = States::of(&[E]);
    pub const fmi2CompletedIntegratorStep: States = States::of(&[C]);
    pub const fmi2SetTime: States = States::of(&[E, C]);
    pub const fmi2SetContinuousStates: States = States::of(&[C]);
    pub const fmi2GetDerivatives: States = READ;
    pub const fmi2GetEventIndicators: States = READ;
    pub const fmi2GetContinuousStates: States = READ;
    pub const fmi2GetNominalsOfContinuousStates: States = ALIVE;

    pub const fmi2SetRealInputDerivatives: States = States::of(&[I, Z, P]);
    pub const fmi2GetRealOutputDerivatives: States = States::of(&[P, F, K, T, X]);
    pub const fmi2DoStep: States = States::of(&[P]);
    pub const fmi2CancelStep: States = States::of(&[G]);
    pub const fmi2GetStatus: States = STATUS;
    pub const fmi2GetRealStatus: States = STATUS;
    pub const fmi2GetIntegerStatus: States = STATUS;
    pub const fmi2GetBooleanStatus: States = STATUS;
    pub const fmi2GetStringStatus: States = STATUS;
}
