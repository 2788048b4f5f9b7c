//! What was called in which state: a sequence follows the state of its instance by the calling sequence of the standard.

use std::collections::BTreeMap;
use std::fmt;

use fmu_standard::fmi2::calls::{self, Call, State};
use fmu_standard::fmi2::{fmi2Discard, fmi2OK, fmi2Status, fmi2Warning};

/// Calls in a state that are enough to meet every function there: each is drawn in one of 126 calls.
const ENOUGH: u64 = 5000;

/// The states that every instance of an interface can be in. Those of asynchronous steps do not occur, and whether a step
/// or an evaluation fails depends on the model.
const ALWAYS: [&[State]; 2] = [
    &[
        State::Instantiated,
        State::Initialization,
        State::Event,
        State::ContinuousTime,
        State::Terminated,
    ],
    &[
        State::Instantiated,
        State::Initialization,
        State::StepComplete,
        State::Terminated,
    ],
];

/// The interface of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    ModelExchange,
    CoSimulation,
}

/// The row of a function, if it has one: those that need no instance have none.
fn row(name: &str) -> Option<&'static Call> {
    calls::ALL.iter().find(|call| call.name == name)
}

/// Whether an FMU may answer a call in a state.
pub fn is_allowed(name: &str, interface: Interface, state: State) -> bool {
    row(name).is_none_or(|call| {
        let strict = match interface {
            Interface::ModelExchange => call.model_exchange,
            Interface::CoSimulation => call.co_simulation,
        };
        strict.or(call.tolerant).has(state)
    })
}

/// The state after a call that was allowed. `None` after an error: either an argument was refused, or the instance is now in
/// the state 'error'.
pub fn after(name: &str, interface: Interface, state: State, status: fmi2Status) -> Option<State> {
    if status == fmi2Discard {
        return Some(match name {
            "fmi2DoStep" => State::StepFailed,
            _ => state,
        });
    }
    if status != fmi2OK && status != fmi2Warning {
        return (state == State::Error).then_some(state);
    }
    Some(match (name, interface) {
        ("fmi2EnterInitializationMode", _) => State::Initialization,
        ("fmi2ExitInitializationMode", Interface::ModelExchange) | ("fmi2EnterEventMode", _) => State::Event,
        ("fmi2ExitInitializationMode", Interface::CoSimulation) | ("fmi2DoStep", _) => State::StepComplete,
        ("fmi2EnterContinuousTimeMode", _) => State::ContinuousTime,
        ("fmi2Terminate", _) => State::Terminated,
        ("fmi2Reset", _) => State::Instantiated,
        _ => state,
    })
}

/// Counts of calls.
#[derive(Default)]
pub struct Coverage {
    /// How often each function returned fmi2OK.
    pub answered: BTreeMap<&'static str, u64>,
    /// How often each function was called, by interface and state.
    called: [[BTreeMap<&'static str, u64>; State::ALL.len()]; 2],
}

impl Coverage {
    pub fn call(&mut self, interface: Interface, state: State, name: &'static str) {
        if row(name).is_some() {
            *self.called[interface as usize][state as usize]
                .entry(name)
                .or_default() += 1;
        }
    }

    /// Pairs of a state and a function that were never called, where chance cannot be the reason.
    pub fn missing(&self, interfaces: &[Interface]) -> Vec<String> {
        let mut missing = Vec::new();
        for &interface in interfaces {
            for state in State::ALL {
                let called = &self.called[interface as usize][state as usize];
                let is_certain = ALWAYS[interface as usize].contains(&state);
                if !is_certain && called.values().sum::<u64>() < ENOUGH {
                    continue;
                }
                let never = calls::ALL.iter().filter(|call| !called.contains_key(call.name));
                missing.extend(never.map(|call| format!("{} {state} ({interface:?})", call.name)));
            }
        }
        missing
    }
}

/// A line per state that occurred: the functions called in it, all calls, and the rarest function.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for interface in [Interface::ModelExchange, Interface::CoSimulation] {
            for state in State::ALL {
                let called = &self.called[interface as usize][state as usize];
                let Some((rarest, least)) = called.iter().min_by_key(|(_, count)| **count) else {
                    continue;
                };
                writeln!(
                    f,
                    "{interface:?}, {state}: {} of {} functions, {} calls, least often {rarest} ({least})",
                    called.len(),
                    calls::ALL.len(),
                    called.values().sum::<u64>(),
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fmu_standard::fmi2::fmi2Error;

    const BOTH: [Interface; 2] = [Interface::ModelExchange, Interface::CoSimulation];

    #[test]
    fn one_pair_that_was_never_called_is_missed() {
        let mut coverage = Coverage::default();
        assert_eq!(coverage.missing(&BOTH).len(), (5 + 4) * calls::ALL.len());
        for interface in BOTH {
            for &state in ALWAYS[interface as usize] {
                for call in calls::ALL {
                    if (call.name, state) != ("fmi2Reset", State::Event) {
                        coverage.call(interface, state, call.name);
                    }
                }
            }
        }
        assert_eq!(
            coverage.missing(&BOTH),
            ["fmi2Reset in event mode (ModelExchange)"]
        );
    }

    #[test]
    fn a_state_that_not_every_model_reaches_counts_where_it_is_common() {
        let mut coverage = Coverage::default();
        let in_error = |coverage: &Coverage| {
            let missing = coverage.missing(&[Interface::CoSimulation]);
            missing.iter().filter(|pair| pair.contains("in error")).count()
        };
        coverage.call(Interface::CoSimulation, State::Error, "fmi2Reset");
        assert_eq!(in_error(&coverage), 0);
        for _ in 0..ENOUGH {
            coverage.call(Interface::CoSimulation, State::Error, "fmi2Reset");
        }
        assert_eq!(in_error(&coverage), calls::ALL.len() - 1);
    }

    #[test]
    fn a_model_exchange_goes_through_its_states() {
        let mut state = State::Instantiated;
        for (name, expected) in [
            ("fmi2SetupExperiment", State::Instantiated),
            ("fmi2EnterInitializationMode", State::Initialization),
            ("fmi2ExitInitializationMode", State::Event),
            ("fmi2EnterContinuousTimeMode", State::ContinuousTime),
            ("fmi2EnterEventMode", State::Event),
            ("fmi2Terminate", State::Terminated),
            ("fmi2Reset", State::Instantiated),
        ] {
            assert!(
                is_allowed(name, Interface::ModelExchange, state),
                "{name} {state}"
            );
            state = after(name, Interface::ModelExchange, state, fmi2OK).unwrap();
            assert_eq!(state, expected, "{name}");
        }
        assert!(!is_allowed(
            "fmi2DoStep",
            Interface::ModelExchange,
            State::StepComplete
        ));
        assert_eq!(
            after("fmi2GetReal", Interface::ModelExchange, State::Event, fmi2Error),
            None
        );
    }
}
