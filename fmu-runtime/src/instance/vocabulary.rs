//! The names that a version of the standard has for what messages speak of, and the rules in which versions differ.

use super::Mode;
use crate::describe::Base;

/// Names of functions, arguments and attributes in one version of the standard, and its rules.
pub struct Vocabulary {
    /// The functions that help after a panic: `fmi2Reset, fmi2SetFMUstate and fmi2FreeInstance`.
    pub remedies: &'static str,
    /// The function that frees an instance.
    pub free_instance: &'static str,
    /// The function that asks for event mode after a step.
    pub completed_integrator_step: &'static str,
    /// The function that returns the size of a serialized snapshot.
    pub serialized_size: &'static str,
    /// The capability flag of serialized snapshots.
    pub can_serialize: &'static str,
    /// The argument that holds a snapshot.
    pub snapshot: &'static str,
    /// The argument with the number of states.
    pub number_of_states: &'static str,
    /// The argument with the number of event indicators.
    pub number_of_event_indicators: &'static str,
    /// A variable by base type, name and slot: `Real variable 'h' (value reference 0)`.
    pub variable: fn(Base, &str, usize) -> String,
    /// A slot that no variable has, of so many: `no Real variable has the value reference 7; there are 0 to 6`.
    pub unknown_variable: fn(Base, usize, usize) -> String,
    /// Where a co-simulation is between two steps: `the state 'step complete'`.
    pub between_steps: &'static str,
    /// Errors are logged whatever the environment has asked for.
    pub errors_are_always_logged: bool,
    /// States that the model does not change at events may be set there.
    pub states_can_be_set_at_events: bool,
    /// Parameters and discrete states are knowns of directional derivatives in every mode.
    pub parameters_are_knowns: bool,
}

impl Vocabulary {
    /// Where an instance is, for messages.
    pub fn place(&self, mode: Mode) -> String {
        match mode {
            Mode::StepComplete => self.between_steps.to_owned(),
            mode => mode.to_string(),
        }
    }
}
