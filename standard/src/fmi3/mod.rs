//! The C interface of FMI 3.0 (types, constants and function types, in the order of the standard's headers and under their
//! names), and the reader and the writer of its model description.
//!
//! Enumerations of C are numbers here, as in [`fmi2`](crate::fmi2): a number that the standard does not know is then a value, where
//! a Rust enum would make it undefined behaviour. For the same reason [`fmi3Boolean`] and [`fmi3Clock`] are bytes: C's `bool` is one byte
//! that is 0 or 1, and a Rust `bool` with any other value is undefined behaviour.
//!
//! ```
//! use fmu_standard::fmi3::{fmi3Error, fmi3Status, fmi3True};
//!
//! assert_eq!(fmi3Error, fmi3Status(3));
//! assert_eq!(fmi3Error.to_string(), "fmi3Error");
//! assert_eq!(fmi3True, 1);
//! ```
#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]

pub mod calls;
pub mod legality;
mod names;
#[cfg(feature = "read")]
mod read;
mod types;
mod write;

pub use names::{
    CO_SIMULATION_FUNCTIONS, COMMON_FUNCTIONS, MODEL_EXCHANGE_FUNCTIONS, SCHEDULED_EXECUTION_FUNCTIONS,
    functions,
};
#[cfg(feature = "read")]
pub use read::read;
pub use types::*;
pub use write::write;
pub(crate) use write::write_interface;

use crate::description::{Causality, Variability, VariableKind};

/// The variability of a variable that does not declare one (section 2.4.7.4).
///
/// ```
/// use fmu_standard::description::{Causality, Variability, VariableKind};
/// use fmu_standard::fmi3::default_variability;
///
/// let real = VariableKind::default();
/// assert_eq!(default_variability(Causality::Output, &real), Variability::Continuous);
/// assert_eq!(default_variability(Causality::Parameter, &real), Variability::Fixed);
/// ```
pub fn default_variability(causality: Causality, kind: &VariableKind) -> Variability {
    match (causality, kind) {
        (Causality::Parameter | Causality::CalculatedParameter | Causality::StructuralParameter, _) => {
            Variability::Fixed
        }
        (_, VariableKind::Real { .. }) => Variability::Continuous,
        _ => Variability::Discrete,
    }
}
