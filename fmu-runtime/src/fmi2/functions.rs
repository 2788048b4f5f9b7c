//! The calling sequence of the standard as data: which function is allowed in which mode of an instance
//! (FMI 2.0.5, section 3.2.3).

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
    /// After `fmi2Terminate`.
    Terminated,
    /// After `fmi2Error`.
    Error,
    /// After a panic in the model: its variables cannot be trusted.
    Panicked,
}

impl Mode {
    const ALL: [Mode; 7] = [
        Mode::Instantiated,
        Mode::Initialization,
        Mode::Event,
        Mode::ContinuousTime,
        Mode::Terminated,
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
            Mode::Terminated => b'T',
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
            Mode::Terminated => "the state 'terminated'",
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

macro_rules! functions {
    ($($name:ident $modes:literal)+) => {
        /// The functions that are called on an instance, in the order of the standard's header.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Function {
            $(#[allow(missing_docs)] $name,)+
        }

        impl Function {
            const MODES: &[u32] = &[$(modes($modes)),+];
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$name),+];

            /// The function's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$name => concat!("fmi2", stringify!($name)),)+
                }
            }
        }
    };
}

// Model Exchange: Instantiated, initialiZation, Event, Continuous-time, Terminated, X for error, ! after a panic.
// The conditions on single variables (which may be set when) are with the variables. Co-Simulation will bring modes
// of its own, and a second column here.
functions! {
    SetDebugLogging                "IZECTX!"
    SetupExperiment                "I"
    EnterInitializationMode        "I"
    ExitInitializationMode         "Z"
    Terminate                      "EC"
    Reset                          "IZECTX!"
    GetReal                        "ZECTX"
    GetInteger                     "ZECTX"
    GetBoolean                     "ZECTX"
    GetString                      "ZECTX"
    SetReal                        "IZEC"
    SetInteger                     "IZE"
    SetBoolean                     "IZE"
    SetString                      "IZE"
    GetFMUstate                    "IZECTX"
    SetFMUstate                    "IZECTX!"
    FreeFMUstate                   "IZECTX!"
    SerializedFMUstateSize         "IZECTX!"
    SerializeFMUstate              "IZECTX!"
    DeSerializeFMUstate            "IZECTX!"
    GetDirectionalDerivative       "ZECTX"
    EnterEventMode                 "EC"
    NewDiscreteStates              "E"
    EnterContinuousTimeMode        "E"
    CompletedIntegratorStep        "C"
    SetTime                        "EC"
    SetContinuousStates            "C"
    GetDerivatives                 "ZECTX"
    GetEventIndicators             "ZECTX"
    GetContinuousStates            "ZECTX"
    GetNominalsOfContinuousStates  "IZECTX"
    SetRealInputDerivatives        ""
    GetRealOutputDerivatives       ""
    DoStep                         ""
    CancelStep                     ""
    GetStatus                      ""
    GetRealStatus                  ""
    GetIntegerStatus               ""
    GetBooleanStatus               ""
    GetStringStatus                ""
}

impl Function {
    /// The modes in which the function may be called, one bit each.
    #[inline(always)]
    pub const fn modes(self) -> u32 {
        Function::MODES[self as usize]
    }

    /// The modes in which the function may be called whatever the model is like.
    #[inline(always)]
    pub(super) const fn unconditional_modes(self) -> u32 {
        match self {
            // Condition 8 of the table.
            Function::SetTime => Mode::ContinuousTime.bit(),
            _ => self.modes(),
        }
    }

    /// Whether the function may be called in `mode`.
    pub const fn is_allowed_in(self, mode: Mode) -> bool {
        self.modes() & mode.bit() != 0
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
        )
    }

    /// Why the function may not be called in `mode`.
    pub(super) fn refusal(self, mode: Mode) -> String {
        let allowed: Vec<String> = Mode::ALL
            .into_iter()
            .filter(|&mode| self.is_allowed_in(mode) && mode != Mode::Panicked)
            .map(|mode| mode.to_string())
            .collect();
        match (allowed.as_slice(), mode) {
            ([], _) => "not available: this FMU offers Model Exchange only, for now".to_owned(),
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
    use super::{Function, Mode};

    #[test]
    fn a_refusal_names_where_it_is_and_where_it_would_be_allowed() {
        assert_eq!(
            Function::Terminate.refusal(Mode::Initialization),
            "not allowed in initialization mode, only in event mode or continuous-time mode"
        );
        assert!(
            Function::DoStep
                .refusal(Mode::Event)
                .contains("Model Exchange only")
        );
        assert!(Function::GetReal.refusal(Mode::Panicked).contains("fmi2Reset"));
    }

    #[test]
    fn every_function_of_the_standard_is_there() {
        let ours: Vec<&str> = Function::ALL.iter().map(|function| function.name()).collect();
        let created_without_instance = [
            "fmi2GetTypesPlatform",
            "fmi2GetVersion",
            "fmi2Instantiate",
            "fmi2FreeInstance",
        ];
        let standard: Vec<&str> = fmi::fmi2::functions(true, true)
            .filter(|name| !created_without_instance.contains(name))
            .collect();
        assert_eq!(ours, standard);
    }
}
