//! When the variables of an exported model may be set, in every state of an instance of FMI 3.0, against the rules of the
//! standard.

// Every call is on a living instance, with arrays as long as their counts say.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "common/c_interface_3.rs"]
mod c_interface_3;

use c_interface_3::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::description::{Causality, ModelDescription, Variability, VariableKind};
use fmu_runtime::standard::fmi3::calls::State;
use fmu_runtime::standard::fmi3::legality::{Role, is_settable};
use fmu_runtime::standard::fmi3::*;
use std::ffi::CString;

/// A gear
#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Gear {
    /// Slow
    Low = 1,
    /// Fast
    High = 3,
}

/// A variable of every role
#[model]
struct Roles {
    /// Level
    #[state(start = [1.0, 2.0], output)]
    x: [f64; 2],
    /// Level that begins in equilibrium
    #[state(initial = "calculated")]
    rest: f64,
    /// Rate
    #[parameter(start = 2.0)]
    fixed: f64,
    /// Gain
    #[parameter(start = 0.5, tunable)]
    tunable: f64,
    /// The rate squared
    #[parameter(calculated)]
    calculated: f64,
    /// Inflow
    #[input(start = 0.0)]
    u: f64,
    /// Inflow that changes at events
    #[input(start = 0.0, discrete)]
    held: f64,
    /// Steps
    #[input(start = 3)]
    steps: i32,
    /// Gear
    #[input(start = Gear::Low)]
    gear: Gear,
    /// Switch
    #[input(start = false)]
    on: bool,
    /// Label
    #[parameter(start = "water")]
    label: String,
    /// Sum of all inflows
    #[local]
    sum: f64,
    /// Outflow
    #[output]
    y: f64,
    /// Number of events
    #[discrete(start = 0, output)]
    events: i32,
    /// Gravity
    #[constant(start = 9.81)]
    constant: f64,
}

#[equations]
impl Model for Roles {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> {
            calculated: self.fixed * self.fixed,
        }
    }

    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> {
            rest: self.calculated,
        }
    }

    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            sum: self.u + self.held,
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: [self.sum - self.tunable * self.x[0], -self.x[1]],
            rest: self.calculated - self.rest,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.x[0] * self.constant,
        }
    }

    fn event(&mut self, _at: Event) {
        self.events += 1;
    }
}

fmu_runtime::__private::fmi3_entry_points!(Roles);

/// An instance in a state, if its interface has that state.
fn host_in(state: State, purpose: Purpose, token: &str) -> Option<Host> {
    let host = Host::try_new(purpose, token, true).unwrap();
    let is_exchange = purpose == Purpose::Exchange;
    let has_events = is_exchange || purpose == Purpose::Steps(true, false);
    let done = |status: fmi3Status| assert_eq!(status, fmi3OK, "{state:?}, {purpose:?}");
    match state {
        State::Instantiated => {}
        State::Initialization => {
            done(unsafe { (FMI.fmi3EnterInitializationMode)(host.i, 0, 0.0, 0.0, 0, 0.0) });
        }
        State::Event if has_events => host.initialize(),
        State::ContinuousTime if is_exchange => {
            host.initialize();
            host.settle();
            done(host.call(FMI.fmi3EnterContinuousTimeMode));
        }
        State::Step if !is_exchange => {
            host.initialize();
            if has_events {
                host.settle();
                done(host.call(FMI.fmi3EnterStepMode));
            }
        }
        State::Terminated => {
            host.initialize();
            if has_events {
                host.settle();
            }
            done(host.call(FMI.fmi3Terminate));
        }
        _ => return None,
    }
    Some(host)
}

/// Sets all elements of a variable.
fn set(host: &Host, description: &ModelDescription, position: usize) -> fmi3Status {
    let variable = &description.model_variables[position];
    let (reference, n) = (&raw const variable.value_reference, variable.elements() as usize);
    match &variable.kind {
        VariableKind::Real { start, .. } => {
            let values = match start.values() {
                [] => vec![0.0; n],
                values => values.to_vec(),
            };
            unsafe { (FMI.fmi3SetFloat64)(host.i, reference, 1, values.as_ptr(), n) }
        }
        VariableKind::Integer { .. } => unsafe {
            (FMI.fmi3SetInt32)(host.i, reference, 1, vec![3; n].as_ptr(), n)
        },
        VariableKind::Enumeration { .. } => unsafe {
            (FMI.fmi3SetInt64)(host.i, reference, 1, vec![3; n].as_ptr(), n)
        },
        VariableKind::Boolean { .. } => unsafe {
            (FMI.fmi3SetBoolean)(host.i, reference, 1, vec![fmi3True; n].as_ptr(), n)
        },
        VariableKind::String { .. } => {
            let text = CString::new("oil").unwrap();
            unsafe { (FMI.fmi3SetString)(host.i, reference, 1, &text.as_ptr(), n) }
        }
        other => panic!("{}", other.name()),
    }
}

#[test]
fn what_may_be_set_follows_the_standard_in_every_state() {
    let description = read(describe()).unwrap();
    let states: Vec<usize> = description
        .model_variables
        .iter()
        .filter_map(|variable| match &variable.kind {
            VariableKind::Real { derivative, .. } => derivative.and_then(|state| state.position()),
            _ => None,
        })
        .collect();
    assert_eq!(states.len(), 2, "x and rest");
    let purposes = [
        Purpose::Exchange,
        Purpose::Steps(true, false),
        Purpose::Steps(false, false),
    ];
    let mut seen = [0, 0];
    for purpose in purposes {
        for state in State::ALL {
            for (position, variable) in description.model_variables.iter().enumerate() {
                let Some(host) = host_in(state, purpose, &description.guid) else {
                    continue;
                };
                let role = Role {
                    causality: variable.causality,
                    variability: variable.variability,
                    initial: variable.initial,
                    is_state: states.contains(&position),
                    reinit: matches!(variable.kind, VariableKind::Real { reinit: true, .. }),
                    intermediate_update: variable.intermediate_update,
                };
                // Hosts set these while time goes on, too: with a warning, and values that differ wait for the next event.
                let waits = state == State::ContinuousTime
                    && match variable.causality {
                        Causality::Input => variable.variability == Variability::Discrete,
                        causality => {
                            causality == Causality::Parameter && variable.variability == Variability::Tunable
                        }
                    };
                let status = set(&host, &description, position);
                let is_settable = is_settable(role, state);
                let is_right = match (is_settable, waits) {
                    (true, _) => status == fmi3OK,
                    (false, true) => status == fmi3OK || status == fmi3Warning,
                    (false, false) => status == fmi3Error,
                };
                let what = format!("{} in {state:?} of {purpose:?}: {status}", variable.name);
                assert!(is_right, "{what}: {:?}", host.heard());
                seen[usize::from(is_settable)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}
