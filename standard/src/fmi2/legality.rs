//! When a variable may be set in FMI 2.0. Which attributes go together is in [`legality`](crate::legality).
//!
//! ```
//! use fmu_standard::description::Causality;
//! use fmu_standard::fmi2::legality::{Phase, Role, is_settable};
//!
//! let input = Role { causality: Causality::Input, ..Default::default() };
//! assert!(is_settable(input, Phase::Initialization) && !is_settable(input, Phase::Instantiated));
//! ```

use crate::description::{Causality, Initial, Variability};
use crate::legality::effective_initial;

pub use crate::legality::Role;

/// When a value is set: the columns of the tables of allowed calls (sections 3.2.3 and 4.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// After `fmi2Instantiate`, before `fmi2EnterInitializationMode`.
    Instantiated,
    /// Between `fmi2EnterInitializationMode` and `fmi2ExitInitializationMode`.
    Initialization,
    /// Model Exchange, event mode.
    Event,
    /// Model Exchange, continuous-time mode.
    ContinuousTime,
    /// Co-Simulation, between two steps.
    CommunicationPoint,
}

/// Whether the standard lets the environment call `fmi2SetXXX` on a variable in a phase.
///
/// Before initialization this is the letter of the standard, which leaves inputs out; many importers set the start
/// values of inputs there all the same, and an FMU does well to accept it.
pub fn is_settable(role: Role, phase: Phase) -> bool {
    let Role {
        causality,
        variability,
        initial,
        is_state,
        ..
    } = role;
    if causality == Causality::Independent || variability == Variability::Constant {
        return false;
    }
    let initial = effective_initial(causality, variability, initial);
    let input = causality == Causality::Input;
    match phase {
        Phase::Instantiated => matches!(initial, Some(Initial::Exact | Initial::Approx)),
        Phase::Initialization => input || initial == Some(Initial::Exact),
        Phase::Event | Phase::CommunicationPoint => {
            input || (causality == Causality::Parameter && variability == Variability::Tunable)
        }
        Phase::ContinuousTime => (input && variability == Variability::Continuous) || is_state,
    }
}
