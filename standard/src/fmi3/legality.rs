//! Which combinations of attributes FMI 3.0 allows, and when a variable may be set.
//!
//! Pairs of causality and variability are those of [FMI 2.0](crate::legality). The difference is in `initial`: an input of FMI 3.0
//! has `initial = exact` (section 2.4.7.5), so it may be set before initialization, too.
//!
//! ```
//! use fmu_standard::description::{Causality, Initial, Variability};
//! use fmu_standard::fmi3::calls::State;
//! use fmu_standard::fmi3::legality::{Role, default_initial, is_settable};
//!
//! assert_eq!(default_initial(Causality::Input, Variability::Continuous), Some(Initial::Exact));
//! let input = Role { causality: Causality::Input, ..Default::default() };
//! assert!(is_settable(input, State::Instantiated));
//! ```

use super::calls::State;
use crate::description::{Causality, Initial, Variability};
use crate::legality;

pub use crate::legality::{Role, is_allowed};

/// The value of `initial` when the attribute is absent; `None` for the independent variable and for forbidden pairs.
pub fn default_initial(causality: Causality, variability: Variability) -> Option<Initial> {
    match causality {
        Causality::Input if is_allowed(causality, variability) => Some(Initial::Exact),
        _ => legality::default_initial(causality, variability),
    }
}

/// The values that `initial` may have; empty where the attribute must be absent.
pub fn allowed_initials(causality: Causality, variability: Variability) -> &'static [Initial] {
    match causality {
        Causality::Input if is_allowed(causality, variability) => &[Initial::Exact],
        _ => legality::allowed_initials(causality, variability),
    }
}

/// Whether the standard lets the environment call `fmi3Set{VariableType}` on a variable in a state of the instance (sections 2.3, 3.2
/// and 4.2).
pub fn is_settable(role: Role, state: State) -> bool {
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
    if causality == Causality::StructuralParameter {
        return match state {
            State::Configuration => true,
            State::Reconfiguration => variability == Variability::Tunable,
            _ => false,
        };
    }
    let initial = initial.or_else(|| default_initial(causality, variability));
    let input = causality == Causality::Input;
    let continuous = variability == Variability::Continuous;
    let tunable = causality == Causality::Parameter && variability == Variability::Tunable;
    match state {
        State::Instantiated => matches!(initial, Some(Initial::Exact | Initial::Approx)),
        State::Initialization => initial == Some(Initial::Exact),
        State::Event => input || tunable || (is_state && !role.reinit),
        State::ContinuousTime => (input && continuous) || is_state,
        State::Step | State::ClockActivation => input || tunable,
        State::IntermediateUpdate => input && continuous && role.intermediate_update,
        State::Configuration
        | State::Reconfiguration
        | State::ClockUpdate
        | State::Terminated
        | State::Fatal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inputs_differ_from_the_table_of_2_0() {
        for &causality in Causality::ALL {
            for &variability in Variability::ALL {
                let (old, new) = (
                    legality::allowed_initials(causality, variability),
                    allowed_initials(causality, variability),
                );
                let is_input = causality == Causality::Input && is_allowed(causality, variability);
                assert_eq!(is_input, old != new, "{causality} {variability}");
                if let Some(default) = default_initial(causality, variability) {
                    assert!(new.contains(&default), "{causality} {variability}");
                }
            }
        }
    }

    #[test]
    fn a_state_may_be_set_at_events_only_if_the_fmu_does_not_change_it_there() {
        let state = Role {
            is_state: true,
            initial: Some(Initial::Exact),
            ..Default::default()
        };
        let reinit = Role {
            reinit: true,
            ..state
        };
        assert!(is_settable(state, State::Event) && !is_settable(reinit, State::Event));
        for role in [state, reinit] {
            assert!(is_settable(role, State::ContinuousTime));
            assert!(!is_settable(role, State::Step) && !is_settable(role, State::Terminated));
        }
    }

    #[test]
    fn parameters_inputs_and_constants_follow_the_states() {
        let of = |causality, variability| Role {
            causality,
            variability,
            ..Default::default()
        };
        let settable = |role: Role| -> Vec<State> {
            let states = State::ALL.into_iter();
            states.filter(|&state| is_settable(role, state)).collect()
        };
        use State::*;
        assert_eq!(
            settable(of(Causality::Parameter, Variability::Fixed)),
            [Instantiated, Initialization]
        );
        assert_eq!(
            settable(of(Causality::Parameter, Variability::Tunable)),
            [Instantiated, Initialization, Event, Step, ClockActivation]
        );
        assert_eq!(
            settable(of(Causality::Input, Variability::Discrete)),
            [Instantiated, Initialization, Event, Step, ClockActivation]
        );
        assert_eq!(
            settable(of(Causality::Input, Variability::Continuous)),
            [
                Instantiated,
                Initialization,
                Event,
                ContinuousTime,
                Step,
                ClockActivation
            ]
        );
        assert_eq!(
            settable(of(Causality::StructuralParameter, Variability::Tunable)),
            [Configuration, Reconfiguration]
        );
        assert_eq!(settable(of(Causality::Local, Variability::Constant)), []);
        assert_eq!(settable(of(Causality::Output, Variability::Continuous)), []);
    }
}
