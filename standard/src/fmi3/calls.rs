//! The calling sequence of FMI 3.0 as data: which function is allowed in which state of an instance (FMI 3.0.2, sections 2.3,
//! 3.2, 4.2 and 5.2, and the table of clocks in 2.2.8).
//!
//! The table has a strict column per interface, which is the standard's own, and a tolerant column, as the one of
//! [FMI 2.0](crate::fmi2::calls). FMI 3.0 has no state for errors: after `fmi3Error` an instance is terminated.
//!
//! `fmi3GetVersion` and the functions that create an instance need no instance and are not listed.
//!
//! ```
//! use fmu_standard::fmi3::calls::{self, State};
//!
//! assert!(calls::fmi3SetFloat64.co_simulation.has(State::IntermediateUpdate));
//! assert!(!calls::fmi3SetInt32.model_exchange.has(State::ContinuousTime));
//! assert!(calls::fmi3SetInt32.tolerant.has(State::ContinuousTime));
//! ```

use std::fmt;

use crate::states::InstanceState;

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    /// Created, or reset.
    Instantiated,
    /// In configuration mode: structural parameters may be set before initialization.
    Configuration,
    /// In initialization mode.
    Initialization,
    /// Model Exchange and Co-Simulation: in event mode.
    Event,
    /// Model Exchange: in continuous-time mode.
    ContinuousTime,
    /// Co-Simulation: in step mode, between two steps.
    Step,
    /// Co-Simulation: inside a step, while the environment's callback runs.
    IntermediateUpdate,
    /// In reconfiguration mode: tunable structural parameters may be set after initialization.
    Reconfiguration,
    /// Scheduled Execution: in clock activation mode.
    ClockActivation,
    /// Scheduled Execution: while the environment's callback for clocks runs.
    ClockUpdate,
    /// The simulation has ended, or a call returned `fmi3Error`.
    Terminated,
    /// A call returned `fmi3Fatal`, of this instance or of another one of the same FMU. Nothing is allowed any more.
    Fatal,
}

impl State {
    /// All states, in the order of the enumeration.
    pub const ALL: [Self; 12] = [
        Self::Instantiated,
        Self::Configuration,
        Self::Initialization,
        Self::Event,
        Self::ContinuousTime,
        Self::Step,
        Self::IntermediateUpdate,
        Self::Reconfiguration,
        Self::ClockActivation,
        Self::ClockUpdate,
        Self::Terminated,
        Self::Fatal,
    ];
}

impl InstanceState for State {
    const LETTERS: &'static str = "IQZECPURAKT!";
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Instantiated => "instantiated and not yet initialized",
            Self::Configuration => "in configuration mode",
            Self::Initialization => "in initialization mode",
            Self::Event => "in event mode",
            Self::ContinuousTime => "in continuous-time mode",
            Self::Step => "in step mode",
            Self::IntermediateUpdate => "in intermediate update mode",
            Self::Reconfiguration => "in reconfiguration mode",
            Self::ClockActivation => "in clock activation mode",
            Self::ClockUpdate => "in clock update mode",
            Self::Terminated => "terminated",
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
    /// Strict column of Model Exchange.
    pub model_exchange: States,
    /// Strict column of Co-Simulation.
    pub co_simulation: States,
    /// Strict column of Scheduled Execution.
    pub scheduled_execution: States,
    /// Tolerant column: further states in which hosts make the call, so that an FMU should accept it.
    pub tolerant: States,
}

macro_rules! calls {
    ($($name:ident $model_exchange:literal $co_simulation:literal $scheduled_execution:literal $tolerant:literal)+) => {
        $(
            #[allow(non_upper_case_globals, missing_docs)]
            pub const $name: Call = Call {
                name: stringify!($name),
                model_exchange: States::of($model_exchange, false),
                co_simulation: States::of($co_simulation, false),
                scheduled_execution: States::of($scheduled_execution, false),
                tolerant: States::of($tolerant, false),
            };
        )+

        /// All rows, in the order of the standard's header.
        pub const ALL: &[Call] = &[$($name),+];
    };
}

// I instantiated, Q configuration, Z initialization, E event, C continuous time, P step, U intermediate update,
// R reconfiguration, A clock activation, K clock update, T terminated.
//
// The standard allows fmi3Set{VariableType} by conditions on variables. Only floating-point variables can be continuous, so no other
// type can be set in C and U; hosts set discrete inputs there all the same, as in FMI 2.0. Structural parameters, which are set in Q and
// R, may have any type but Clock. Event mode of Co-Simulation is reached only with eventModeUsed. Start values can be read in I by the
// equations of section 2.3.2, which its list of allowed functions leaves out: hosts may do it.
calls! {
    // function                             ME         CS         SE        tolerant
    fmi3SetDebugLogging                  "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3FreeInstance                     "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3EnterInitializationMode          "I"        "I"        "I"       ""
    fmi3ExitInitializationMode           "Z"        "Z"        "Z"       ""
    fmi3EnterEventMode                   "C"        "P"        ""        ""
    fmi3Terminate                        "EC"       "EP"       "A"       ""
    fmi3Reset                            "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3GetFloat32                       "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetFloat64                       "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetInt8                          "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetUInt8                         "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetInt16                         "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetUInt16                        "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetInt32                         "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetUInt32                        "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetInt64                         "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetUInt64                        "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetBoolean                       "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetString                        "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetBinary                        "ZECT"     "ZEPUT"    "ZAT"     "I"
    fmi3GetClock                         "E"        "E"        "K"       ""
    fmi3SetFloat32                       "IQZECR"   "IQZEPUR"  "IQZRA"   ""
    fmi3SetFloat64                       "IQZECR"   "IQZEPUR"  "IQZRA"   ""
    fmi3SetInt8                          "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetUInt8                         "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetInt16                         "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetUInt16                        "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetInt32                         "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetUInt32                        "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetInt64                         "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetUInt64                        "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetBoolean                       "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetString                        "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetBinary                        "IQZER"    "IQZEPR"   "IQZRA"   "C"
    fmi3SetClock                         "E"        "E"        ""        ""
    fmi3GetNumberOfVariableDependencies  "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3GetVariableDependencies          "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3GetFMUState                      "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3SetFMUState                      "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3FreeFMUState                     "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3SerializedFMUStateSize           "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3SerializeFMUState                "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3DeserializeFMUState              "IQZECRT"  "IQZEPRT"  "IQZART"  ""
    fmi3GetDirectionalDerivative         "ZECT"     "ZEPT"     "ZAT"     ""
    fmi3GetAdjointDerivative             "ZECT"     "ZEPT"     "ZAT"     ""
    fmi3EnterConfigurationMode           "IE"       "IEP"      "I"       ""
    fmi3ExitConfigurationMode            "QR"       "QR"       "Q"       ""
    fmi3GetIntervalDecimal               "ZE"       "ZE"       "ZAK"     ""
    fmi3GetIntervalFraction              "ZE"       "ZE"       "ZAK"     ""
    fmi3GetShiftDecimal                  "Z"        "Z"        "Z"       ""
    fmi3GetShiftFraction                 "Z"        "Z"        "Z"       ""
    fmi3SetIntervalDecimal               "ZE"       "ZE"       "ZA"      ""
    fmi3SetIntervalFraction              "ZE"       "ZE"       "ZA"      ""
    fmi3SetShiftDecimal                  "Z"        "Z"        "Z"       ""
    fmi3SetShiftFraction                 "Z"        "Z"        "Z"       ""
    fmi3EvaluateDiscreteStates           "E"        "E"        ""        ""
    fmi3UpdateDiscreteStates             "E"        "E"        ""        ""
    fmi3EnterContinuousTimeMode          "E"        ""         ""        ""
    fmi3CompletedIntegratorStep          "C"        ""         ""        ""
    fmi3SetTime                          "C"        ""         ""        ""
    fmi3SetContinuousStates              "C"        ""         ""        ""
    fmi3GetContinuousStateDerivatives    "ZECT"     ""         ""        ""
    fmi3GetEventIndicators               "ZECT"     ""         ""        ""
    fmi3GetContinuousStates              "ZECT"     ""         ""        ""
    fmi3GetNominalsOfContinuousStates    "ZECRT"    ""         ""        ""
    fmi3GetNumberOfEventIndicators       "IE"       ""         ""        ""
    fmi3GetNumberOfContinuousStates      "IE"       ""         ""        ""
    fmi3EnterStepMode                    ""         "E"        ""        ""
    fmi3GetOutputDerivatives             ""         "PUT"      ""        ""
    fmi3DoStep                           ""         "P"        ""        ""
    fmi3ActivateModelPartition           ""         ""         "A"       ""
}
