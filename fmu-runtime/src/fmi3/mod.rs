//! FMI 3.0: the C functions, the model description, and what is peculiar to this version. Everything else of an FMU is in
//! [`instance`](crate::instance).
//!
//! `entry_points` has the `extern "C"` functions, `functions` says when each may be called, `calls` and `boundary` convert
//! arguments, `layout` knows what a value reference means, `description` writes `modelDescription.xml`, and `dependencies` answers for
//! single elements.

// The standard's names, also for constants in patterns.
#![allow(non_upper_case_globals)]

pub(crate) mod boundary;
pub(crate) mod calls;
mod dependencies;
mod description;
mod entry_points;
mod extra;
mod functions;
mod layout;

pub use description::{full_description, model_description};
#[doc(hidden)]
pub use extra::Handle;
pub(crate) use functions::function;
pub use layout::Arrays;

use crate::instance::Vocabulary;

/// The names that messages use.
static VOCABULARY: Vocabulary = Vocabulary {
    remedies: "fmi3Reset, fmi3SetFMUState and fmi3FreeInstance",
    free_instance: "fmi3FreeInstance",
    completed_integrator_step: "fmi3CompletedIntegratorStep",
    serialized_size: "fmi3SerializedFMUStateSize",
    can_serialize: "canSerializeFMUState",
    snapshot: "FMUState",
    number_of_states: "nContinuousStates",
    number_of_event_indicators: "nEventIndicators",
    variable: |_, name, _| format!("variable '{name}'"),
    // Value references are checked before; behind the slots of all variables are only the event indicators.
    unknown_variable: |_, _, _| "event indicators can only be read".to_owned(),
    between_steps: "step mode",
    errors_are_always_logged: false,
    states_can_be_set_at_events: true,
    parameters_are_knowns: true,
};
