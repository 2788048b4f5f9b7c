//! FMI 2.0: the C functions, the model description, and what is peculiar to this version. Everything else of an FMU is in
//! [`instance`](crate::instance).
//!
//! `entry_points` has the `extern "C"` functions, `functions` says when each may be called, `calls` and `boundary` convert
//! arguments, and `description` flattens a model into the scalar variables of `modelDescription.xml`.

// The standard's names, also for constants in patterns.
#![allow(non_upper_case_globals)]

pub(crate) mod boundary;
pub(crate) mod calls;
mod description;
mod entry_points;
mod functions;

pub use description::{full_description, model_description};
pub(crate) use functions::function;

use crate::instance::Vocabulary;

/// The names that messages use.
static VOCABULARY: Vocabulary = Vocabulary {
    remedies: "fmi2Reset, fmi2SetFMUstate and fmi2FreeInstance",
    free_instance: "fmi2FreeInstance",
    completed_integrator_step: "fmi2CompletedIntegratorStep",
    serialized_size: "fmi2SerializedFMUstateSize",
    can_serialize: "canSerializeFMUstate",
    snapshot: "FMUstate",
    number_of_states: "nx",
    number_of_event_indicators: "ni",
    // The base types have the names of FMI 2.0.
    variable: |base, name, slot| format!("{base:?} variable '{name}' (value reference {slot})"),
    unknown_variable: |base, slot, count| {
        let known = match count {
            0 => "there are none".to_owned(),
            count => format!("there are 0 to {}", count - 1),
        };
        format!("no {base:?} variable has the value reference {slot}; {known}")
    },
    between_steps: "the state 'step complete'",
    errors_are_always_logged: true,
    states_can_be_set_at_events: false,
    parameters_are_knowns: false,
};
