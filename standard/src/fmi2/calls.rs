//! The calling sequence of FMI 2.0 as data: which function is allowed in which state of an instance
//! (FMI 2.0.5, sections 3.2.3 and 4.2.4).
//!
//! The table has a strict column per interface, which is the standard's own and what an importer may rely on, and a tolerant
//! column: calls that the standard does not allow but that hosts make, and that an FMU does well to accept.
//!
//! `fmi2GetTypesPlatform`, `fmi2GetVersion` and `fmi2Instantiate` need no instance and are not listed.
//!
//! ```
//! use fmu_standard::fmi2::calls::{self, State};
//!
//! assert!(calls::fmi2SetInteger.model_exchange.has(State::Event));
//! assert!(!calls::fmi2SetInteger.model_exchange.has(State::ContinuousTime));
//! assert!(calls::fmi2SetInteger.tolerant.has(State::ContinuousTime));
//! assert!(calls::fmi2GetReal.debugging.has(State::Error));
//! ```

use std::fmt;

use crate::states::InstanceState;

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    /// Created, or reset.
    Instantiated,
    /// In initialization mode.
    Initialization,
    /// Model Exchange: in event mode.
    Event,
    /// Model Exchange: in continuous-time mode.
    ContinuousTime,
    /// Co-Simulation: initialized, or a step was completed.
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
    /// A call returned `fmi2Fatal`, of this instance or of another one of the same FMU. Nothing is allowed any more.
    Fatal,
}

impl State {
    /// All states, in the order of the enumeration.
    pub const ALL: [Self; 11] = [
        Self::Instantiated,
        Self::Initialization,
        Self::Event,
        Self::ContinuousTime,
        Self::StepComplete,
        Self::StepInProgress,
        Self::StepFailed,
        Self::StepCanceled,
        Self::Terminated,
        Self::Error,
        Self::Fatal,
    ];
}

impl InstanceState for State {
    const LETTERS: &'static str = "IZECPGFKTX!";
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

const _: () = assert!(State::LETTERS.len() == State::ALL.len());

/// A set of states.
pub type States = crate::states::States<State>;

impl States {
    /// Whether a state is in the set.
    #[inline]
    pub const fn has(self, state: State) -> bool {
        self.has_position(state as u8)
    }
}

/// A row of the table: a function and the states in which it may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the function.
    pub name: &'static str,
    /// Strict column of Model Exchange: the states in which the standard allows the call, debugging included.
    pub model_exchange: States,
    /// Strict column of Co-Simulation, likewise.
    pub co_simulation: States,
    /// Those states of both columns in which the call is for debugging only and may fail.
    pub debugging: States,
    /// Tolerant column: further states in which hosts make the call, so that an FMU should accept it.
    pub tolerant: States,
}

impl Call {
    /// A row, from the letters of its columns.
    ///
    /// The letters are **I**nstantiated, initiali**Z**ation, **E**vent, **C**ontinuous-time, step com**P**lete, step in
    /// pro**G**ress, step **F**ailed, step canceled (**K**), **T**erminated and error (**X**). A small letter means 'for debugging only'.
    pub const fn new(name: &'static str, model_exchange: &str, co_simulation: &str, tolerant: &str) -> Self {
        Self {
            name,
            model_exchange: States::of(model_exchange, false),
            co_simulation: States::of(co_simulation, false),
            debugging: States::of(model_exchange, true).or(States::of(co_simulation, true)),
            tolerant: States::of(tolerant, false),
        }
    }

    /// The strict columns of both interfaces together: their states differ, so one set serves both.
    pub const fn allowed(&self) -> States {
        self.model_exchange.or(self.co_simulation)
    }
}

macro_rules! calls {
    ($($name:ident $model_exchange:literal $co_simulation:literal $tolerant:literal)+) => {
        $(
            #[allow(non_upper_case_globals, missing_docs)]
            pub const $name: Call =
                Call::new(stringify!($name), $model_exchange, $co_simulation, $tolerant);
        )+

        /// All rows, in the order of the standard's header.
        pub const ALL: &[Call] = &[$($name),+];
    };
}

// Where published tables disagree (fmi2GetDerivatives and fmi2GetNominalsOfContinuousStates in Z and I), the table of 2.0.5
// counts. Conditions on single variables are in `legality`. fmi2SetTime in event mode is for purely discrete FMUs only.
calls! {
    // function                        Model Exchange  Co-Simulation  tolerant
    fmi2SetDebugLogging                "IZECTX"        "IZPGFKTX"     ""
    fmi2FreeInstance                   "IZECTX"        "IZPFKTX"      ""
    fmi2SetupExperiment                "I"             "I"            ""
    fmi2EnterInitializationMode        "I"             "I"            ""
    fmi2ExitInitializationMode         "Z"             "Z"            ""
    fmi2Terminate                      "EC"            "PF"           ""
    fmi2Reset                          "IZECTX"        "IZPFKTX"      ""
    fmi2GetReal                        "ZECTx"         "ZPfkTx"       ""
    fmi2GetInteger                     "ZECTx"         "ZPfkTx"       ""
    fmi2GetBoolean                     "ZECTx"         "ZPfkTx"       ""
    fmi2GetString                      "ZECTx"         "ZPfkTx"       ""
    fmi2SetReal                        "IZEC"          "IZP"          ""
    // Hosts set discrete inputs in continuous-time mode; an FMU keeps them for the next event.
    fmi2SetInteger                     "IZE"           "IZP"          "C"
    fmi2SetBoolean                     "IZE"           "IZP"          "C"
    fmi2SetString                      "IZE"           "IZP"          "C"
    fmi2GetFMUstate                    "IZECTx"        "IZPfkTx"      ""
    fmi2SetFMUstate                    "IZECTX"        "IZPFKTX"      ""
    fmi2FreeFMUstate                   "IZECTX"        "IZPFKTX"      ""
    fmi2SerializedFMUstateSize         "IZECTX"        "IZPFKTX"      ""
    fmi2SerializeFMUstate              "IZECTX"        "IZPFKTX"      ""
    fmi2DeSerializeFMUstate            "IZECTX"        "IZPFKTX"      ""
    fmi2GetDirectionalDerivative       "ZECTx"         "ZPfkTx"       ""
    fmi2EnterEventMode                 "EC"            ""             ""
    fmi2NewDiscreteStates              "E"             ""             ""
    fmi2EnterContinuousTimeMode        "E"             ""             ""
    fmi2CompletedIntegratorStep        "C"             ""             ""
    fmi2SetTime                        "EC"            ""             ""
    fmi2SetContinuousStates            "C"             ""             ""
    fmi2GetDerivatives                 "ZECTx"         ""             ""
    fmi2GetEventIndicators             "ZECTx"         ""             ""
    fmi2GetContinuousStates            "ZECTx"         ""             ""
    fmi2GetNominalsOfContinuousStates  "IZECTx"        ""             ""
    fmi2SetRealInputDerivatives        ""              "IZP"          ""
    fmi2GetRealOutputDerivatives       ""              "PfKTx"        ""
    fmi2DoStep                         ""              "P"            ""
    fmi2CancelStep                     ""              "G"            ""
    fmi2GetStatus                      ""              "PGFT"         ""
    fmi2GetRealStatus                  ""              "PGFT"         ""
    fmi2GetIntegerStatus               ""              "PGFT"         ""
    fmi2GetBooleanStatus               ""              "PGFT"         ""
    fmi2GetStringStatus                ""              "PGFT"         ""
}
