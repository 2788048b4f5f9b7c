//! A variable in the terms that all versions of FMI share: causality, variability, `initial`.

use super::{Base, InitialValue, Role, Variable};
use fmu_standard::description::{Causality, Initial, Variability};

impl Variable {
    /// The causality.
    pub fn causality(&self) -> Causality {
        match self.field.role {
            _ if self.field.is_output() => Causality::Output,
            Role::Input => Causality::Input,
            Role::Parameter => Causality::Parameter,
            Role::Calculated => Causality::CalculatedParameter,
            Role::State | Role::Output | Role::Local | Role::Constant | Role::Discrete | Role::Implicit => {
                Causality::Local
            }
        }
    }

    /// The variability. Only Real variables are continuous.
    pub fn variability(&self) -> Variability {
        match self.field.role {
            Role::State | Role::Implicit => Variability::Continuous,
            Role::Constant => Variability::Constant,
            Role::Parameter | Role::Calculated if self.field.tunable => Variability::Tunable,
            Role::Parameter | Role::Calculated => Variability::Fixed,
            Role::Discrete => Variability::Discrete,
            Role::Input | Role::Output | Role::Local => match self.base() {
                Base::Real if !self.field.discrete => Variability::Continuous,
                _ => Variability::Discrete,
            },
        }
    }

    /// `initial`; an input has none.
    pub fn initial(&self) -> Option<Initial> {
        let initial = match self.field.initial {
            InitialValue::Start => Initial::Exact,
            InitialValue::Guess => Initial::Approx,
            InitialValue::Calculated => Initial::Calculated,
        };
        (self.field.role != Role::Input).then_some(initial)
    }

    /// Whether the model description has start values: calculated ones are computed, guessed ones are the first guess.
    pub fn has_start(&self) -> bool {
        self.field.initial != InitialValue::Calculated
    }
}
