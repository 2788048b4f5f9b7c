//! The modes of an instance, and what the frame around a call knows of a function.

use super::Vocabulary;
use crate::stored::{Damaged, Reader, Stored, Writer};
use std::fmt;

/// The mode that an instance is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// After instantiation or a reset.
    Instantiated,
    /// Initialization mode.
    Initialization,
    /// Event mode.
    Event,
    /// Continuous-time mode.
    ContinuousTime,
    /// Co-simulation: initialized, or a step is complete.
    StepComplete,
    /// After termination.
    Terminated,
    /// Co-simulation: a step was not completed, or the model has ended the simulation.
    StepFailed,
    /// After an error.
    Error,
    /// After a panic in the model: its variables cannot be trusted.
    Panicked,
}

impl Mode {
    pub(crate) const ALL: [Mode; 9] = [
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

    /// A set of modes has one bit per mode.
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
        // There are no snapshots of an instance that has panicked.
        known
            .filter(|mode| *mode != Mode::Panicked)
            .ok_or(Damaged("a mode is not one"))
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

/// The interface that an instance was created for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The integrator is outside.
    ModelExchange,
    /// The integrator is inside.
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

/// A function of a C interface, as the frame around a call sees it. Each version of the standard has a table of them.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The modes in which it may be called in Model Exchange, one bit per mode.
    pub model_exchange: u32,
    /// The same in Co-Simulation.
    pub co_simulation: u32,
    /// The modes of Model Exchange in which it may be called for every model: there a shortcut may be taken.
    pub unconditional: u32,
    /// The standard lets it return the status 'discard'.
    pub may_discard: bool,
    /// It neither evaluates nor copies the model, so it needs no large stack.
    pub is_light: bool,
    /// Why it is never allowed, if that is so in both interfaces.
    pub never: Option<&'static str>,
}

impl Function {
    /// The modes in which the function may be called.
    pub const fn modes(&self, interface: Interface) -> u32 {
        match interface {
            Interface::ModelExchange => self.model_exchange,
            Interface::CoSimulation => self.co_simulation,
        }
    }

    /// Whether the function may be called in `mode`.
    pub const fn is_allowed_in(&self, mode: Mode, interface: Interface) -> bool {
        self.modes(interface) & mode.bit() != 0
    }

    /// Why the function may not be called in `mode`.
    pub fn refusal(&self, mode: Mode, interface: Interface, vocabulary: &Vocabulary) -> String {
        let here = vocabulary.place(mode);
        let allowed: Vec<String> = Mode::ALL
            .into_iter()
            .filter(|&mode| self.is_allowed_in(mode, interface) && mode != Mode::Panicked)
            .map(|mode| vocabulary.place(mode))
            .collect();
        match (allowed.as_slice(), mode, self.never) {
            ([], _, Some(never)) => never.to_owned(),
            ([], _, None) => format!("not allowed: the instance was made for {interface}"),
            (_, Mode::Panicked, _) => format!("not allowed in {here}; only {} help", vocabulary.remedies),
            (allowed, ..) => format!("not allowed in {here}, only in {}", enumerate(allowed)),
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
