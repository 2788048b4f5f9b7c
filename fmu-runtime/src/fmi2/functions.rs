//! The calling sequence of the standard as data: which function is allowed in which mode of an instance
//! (FMI 2.0.5, sections 3.2.3 and 4.2.4).

use crate::stored::{Damaged, Reader, Stored, Writer};
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

    /// The letter by which the table below names it.
    const fn letter(self) -> u8 {
        match self {
            Mode::Instantiated => b'I',
            Mode::Initialization => b'Z',
            Mode::Event => b'E',
            Mode::ContinuousTime => b'C',
            Mode::StepComplete => b'P',
            Mode::Terminated => b'T',
            Mode::StepFailed => b'F',
            Mode::Error => b'X',
            Mode::Panicked => b'!',
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

const fn modes(letters: &str) -> u32 {
    let letters = letters.as_bytes();
    let mut set = 0;
    let mut position = 0;
    while position < letters.len() {
        let mut index = 0;
        while Mode::ALL[index].letter() != letters[position] {
            index += 1;
        }
        set |= Mode::ALL[index].bit();
        position += 1;
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
    ($($prefix:ident $name:ident $model_exchange:literal $co_simulation:literal)+) => {
        /// The functions that are called on an instance, in the order of the standard's header, then our own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Function {
            $(#[allow(missing_docs)] $name,)+
        }

        impl Function {
            const MODEL_EXCHANGE: &[u32] = &[$(modes($model_exchange)),+];
            const CO_SIMULATION: &[u32] = &[$(modes($co_simulation)),+];
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$name),+];

            /// The function's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$name => concat!(stringify!($prefix), stringify!($name)),)+
                }
            }
        }
    };
}

// Instantiated, initialiZation, Event, Continuous-time, step comPlete, Terminated, step Failed, X for error, ! after a
// panic; first as Model Exchange, then as Co-Simulation. A step is complete when fmi2DoStep returns, so that there is
// nothing to cancel. The conditions on single variables (which may be set when) are with the variables.
functions! {
    fmi2 SetDebugLogging                "IZECTX!"  "IZPFTX!"
    fmi2 SetupExperiment                "I"        "I"
    fmi2 EnterInitializationMode        "I"        "I"
    fmi2 ExitInitializationMode         "Z"        "Z"
    fmi2 Terminate                      "EC"       "PF"
    fmi2 Reset                          "IZECTX!"  "IZPFTX!"
    fmi2 GetReal                        "ZECTX"    "ZPFTX"
    fmi2 GetInteger                     "ZECTX"    "ZPFTX"
    fmi2 GetBoolean                     "ZECTX"    "ZPFTX"
    fmi2 GetString                      "ZECTX"    "ZPFTX"
    fmi2 SetReal                        "IZEC"     "IZP"
    fmi2 SetInteger                     "IZEC"     "IZP"
    fmi2 SetBoolean                     "IZEC"     "IZP"
    fmi2 SetString                      "IZEC"     "IZP"
    fmi2 GetFMUstate                    "IZECTX"   "IZPFTX"
    fmi2 SetFMUstate                    "IZECTX!"  "IZPFTX!"
    fmi2 FreeFMUstate                   "IZECTX!"  "IZPFTX!"
    fmi2 SerializedFMUstateSize         "IZECTX!"  "IZPFTX!"
    fmi2 SerializeFMUstate              "IZECTX!"  "IZPFTX!"
    fmi2 DeSerializeFMUstate            "IZECTX!"  "IZPFTX!"
    fmi2 GetDirectionalDerivative       "ZECTX"    "ZPFTX"
    fmi2 EnterEventMode                 "EC"       ""
    fmi2 NewDiscreteStates              "E"        ""
    fmi2 EnterContinuousTimeMode        "E"        ""
    fmi2 CompletedIntegratorStep        "C"        ""
    fmi2 SetTime                        "EC"       ""
    fmi2 SetContinuousStates            "C"        ""
    fmi2 GetDerivatives                 "ZECTX"    ""
    fmi2 GetEventIndicators             "ZECTX"    ""
    fmi2 GetContinuousStates            "ZECTX"    ""
    fmi2 GetNominalsOfContinuousStates  "IZECTX"   ""
    fmi2 SetRealInputDerivatives        ""         "IZP"
    fmi2 GetRealOutputDerivatives       ""         "PFTX"
    fmi2 DoStep                         ""         "P"
    fmi2 CancelStep                     ""         ""
    fmi2 GetStatus                      ""         "PFT"
    fmi2 GetRealStatus                  ""         "PFT"
    fmi2 GetIntegerStatus               ""         "PFT"
    fmi2 GetBooleanStatus               ""         "PFT"
    fmi2 GetStringStatus                ""         "PFT"
    fmu  StabilizeInputs                ""         "IZP"
    fmu  GetStates                      ""         "ZPFT"
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
