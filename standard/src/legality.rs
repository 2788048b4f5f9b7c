//! Which causality, variability, `initial` and start value go together (the tables of FMI 2.0.5, section 2.2.7). When a variable
//! may be set is in the folders of the versions.
//!
//! ```
//! use fmu_standard::description::{Causality, Initial, Variability};
//! use fmu_standard::legality::{Start, default_initial, is_allowed, start};
//!
//! assert!(is_allowed(Causality::Output, Variability::Continuous));
//! assert!(!is_allowed(Causality::Input, Variability::Tunable));
//! assert_eq!(default_initial(Causality::Parameter, Variability::Fixed), Some(Initial::Exact));
//! assert_eq!(start(Causality::Output, Variability::Discrete, None), Start::Forbidden);
//! ```

use crate::description::{Causality, Initial, Variability};

pub use crate::fmi2::legality::{Phase, is_settable};

/// A letter of the standard's table of causality and variability.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Given by its start value.
    A,
    /// Calculated from parameters.
    B,
    /// A signal that the FMU computes.
    C,
    /// A signal that the environment provides.
    D,
    /// The independent variable.
    E,
}

fn cell(causality: Causality, variability: Variability) -> Option<Cell> {
    use Causality::*;
    use Variability::*;
    match (variability, causality) {
        (Constant, Output | Local) => Some(Cell::A),
        (Fixed | Tunable, Parameter | StructuralParameter) => Some(Cell::A),
        (Fixed | Tunable, CalculatedParameter | Local) => Some(Cell::B),
        (Discrete | Continuous, Input) => Some(Cell::D),
        (Discrete | Continuous, Output | Local) => Some(Cell::C),
        (Continuous, Independent) => Some(Cell::E),
        _ => None,
    }
}

/// Whether the standard allows the pair.
pub fn is_allowed(causality: Causality, variability: Variability) -> bool {
    cell(causality, variability).is_some()
}

/// The variabilities that a causality may have.
pub fn allowed_variabilities(causality: Causality) -> &'static [Variability] {
    use Variability::*;
    match causality {
        Causality::Parameter | Causality::CalculatedParameter | Causality::StructuralParameter => {
            &[Fixed, Tunable]
        }
        Causality::Input => &[Discrete, Continuous],
        Causality::Output => &[Constant, Discrete, Continuous],
        Causality::Local => &[Constant, Fixed, Tunable, Discrete, Continuous],
        Causality::Independent => &[Continuous],
    }
}

/// Why the standard forbids the pair and what to take instead, as half a sentence; `None` if it is allowed.
pub fn why_forbidden(causality: Causality, variability: Variability) -> Option<&'static str> {
    use Causality::*;
    if is_allowed(causality, variability) {
        return None;
    }
    Some(match (causality, variability) {
        (Independent, _) => "the independent variable is always continuous",
        (Parameter | CalculatedParameter | StructuralParameter, Variability::Constant) => {
            "a parameter can be given another value, a constant cannot: make it fixed or tunable, \
             or a constant of causality local or output"
        }
        (Parameter | CalculatedParameter | StructuralParameter, _) => {
            "a parameter does not change with time: make it fixed or tunable, or an input"
        }
        (Input, Variability::Constant) => {
            "an input is set from outside, a constant never changes: make it a local"
        }
        (Input, _) => "an input that is fixed or tunable is a parameter: give it causality parameter",
        (Output | Local, _) => {
            "an output that is fixed or tunable is a calculated parameter: give it causality calculatedParameter"
        }
    })
}

/// The value of `initial` when the attribute is absent; `None` where there is no `initial` at all (inputs, the
/// independent variable, forbidden pairs).
pub fn default_initial(causality: Causality, variability: Variability) -> Option<Initial> {
    match cell(causality, variability)? {
        Cell::A => Some(Initial::Exact),
        Cell::B | Cell::C => Some(Initial::Calculated),
        Cell::D | Cell::E => None,
    }
}

/// The values that `initial` may have; empty where the attribute must be absent.
pub fn allowed_initials(causality: Causality, variability: Variability) -> &'static [Initial] {
    match cell(causality, variability) {
        Some(Cell::A) => &[Initial::Exact],
        Some(Cell::B) => &[Initial::Approx, Initial::Calculated],
        Some(Cell::C) => &[Initial::Exact, Initial::Approx, Initial::Calculated],
        Some(Cell::D | Cell::E) | None => &[],
    }
}

/// `initial` as it counts: as written, else the default of the table.
pub fn effective_initial(
    causality: Causality,
    variability: Variability,
    written: Option<Initial>,
) -> Option<Initial> {
    written.or_else(|| default_initial(causality, variability))
}

/// Whether a variable has a start value; there is no third case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// It must have one.
    Required,
    /// It must not have one.
    Forbidden,
}

/// Whether a start value is required or forbidden; `initial` as written.
///
/// Pairs that the standard forbids get the answer that the causality alone suggests, so that a checker can go on.
pub fn start(causality: Causality, variability: Variability, initial: Option<Initial>) -> Start {
    match causality {
        Causality::Independent => Start::Forbidden,
        Causality::Parameter | Causality::StructuralParameter | Causality::Input => Start::Required,
        _ if variability == Variability::Constant => Start::Required,
        _ => match effective_initial(causality, variability, initial) {
            Some(Initial::Exact | Initial::Approx) => Start::Required,
            Some(Initial::Calculated) | None => Start::Forbidden,
        },
    }
}

/// What the right to set a variable depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Role {
    /// `causality`.
    pub causality: Causality,
    /// `variability`.
    pub variability: Variability,
    /// `initial` as written.
    pub initial: Option<Initial>,
    /// Whether it is a continuous-time state (its derivative is listed in `ModelStructure`).
    pub is_state: bool,
    /// Whether it is a state that the FMU may change at events: `reinit`. FMI 3.0 only.
    pub reinit: bool,
    /// Whether it may be set during an intermediate update: `intermediateUpdate`. FMI 3.0 only.
    pub intermediate_update: bool,
}
