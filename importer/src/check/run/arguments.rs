//! R5, R6, R9, R10, R13 and C8: arguments that are wrong.

use std::ptr::{null, null_mut};

use fmi::description::{Causality, ScalarVariable, Variability, VariableKind};
use fmi::fmi2;

use super::child::Probe;
use super::raw::{Raw, raw, refused};
use super::steps::Steps;
use crate::check::described::is_settable;
use crate::{BaseType, Error, State, Status};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    value_references(steps, probe);
    null_pointers(steps, probe);
    odd_booleans(steps, probe);
    odd_numbers(steps, probe);
    if !probe.is_model_exchange() {
        odd_steps(steps);
    }
    undeclared(steps, probe);
}

/// The state in which values are read and set at ease.
const AT_EASE: State = State::Initialization;

/// Tries a call that must be refused.
fn must_refuse(
    rule: &'static str,
    state: State,
    call: impl Fn(&Probe, &Raw) -> Option<Status> + 'static,
) -> impl Fn(&mut Probe) -> Result<(), Error> {
    move |probe| {
        let Some(raw) = probe.raw_in(state)? else {
            return Ok(());
        };
        let status = call(probe, &raw);
        if status.is_some() && !refused(status) {
            // What was written where is not known.
            probe.replace = true;
            std::mem::forget(raw);
            probe.found(rule, format!("it returns {}", status.unwrap_or(Status::Ok)));
        }
        Ok(())
    }
}

/// A value reference that no variable of a type has.
fn unknown(probe: &Probe, base_type: BaseType) -> u32 {
    let known = |reference: &u32| {
        probe
            .fmu
            .variables()
            .position_of_reference(base_type, *reference)
            .is_some()
    };
    (0..)
        .map(|offset| 4_000_000_000 - offset)
        .find(|reference| !known(reference))
        .unwrap_or(u32::MAX)
}

fn value_references(steps: &mut Steps, probe: &Probe) {
    for base_type in BaseType::ALL {
        let bad = [unknown(probe, base_type)];
        steps.add(
            "R6",
            format!("fmi2Get{base_type} of an unknown value reference"),
            must_refuse("R6", AT_EASE, move |probe, raw| {
                let (c, vr) = (raw.component, bad.as_ptr());
                match base_type {
                    BaseType::Real => raw!(probe.library, fmi2GetReal(c, vr, 1, &mut 0.0)),
                    BaseType::Integer => raw!(probe.library, fmi2GetInteger(c, vr, 1, &mut 0)),
                    BaseType::Boolean => raw!(probe.library, fmi2GetBoolean(c, vr, 1, &mut 0)),
                    BaseType::String => raw!(probe.library, fmi2GetString(c, vr, 1, &mut null())),
                }
            }),
        );
        steps.add(
            "R6",
            format!("fmi2Set{base_type} of an unknown value reference"),
            must_refuse("R6", AT_EASE, move |probe, raw| {
                set(probe, raw, base_type, bad[0])
            }),
        );
    }
    // One of each kind that must not be set.
    type Is = fn(&ScalarVariable) -> bool;
    let forbidden: [(&str, Is); 3] = [
        ("a constant", |variable| {
            variable.variability == Variability::Constant
        }),
        ("the independent variable", |variable| {
            variable.causality == Causality::Independent
        }),
        ("a calculated parameter", |variable| {
            variable.causality == Causality::CalculatedParameter
        }),
    ];
    for (what, is) in forbidden {
        let description = probe.fmu.description();
        let alone = |variable: &ScalarVariable| {
            let same = |other: &&ScalarVariable| {
                other.value_reference == variable.value_reference
                    && BaseType::of(&other.kind) == BaseType::of(&variable.kind)
            };
            !description.model_variables.iter().filter(same).any(is_settable)
        };
        let found = description
            .model_variables
            .iter()
            .find(|variable| is(variable) && alone(variable));
        let Some(variable) = found else { continue };
        let (base_type, reference) = (BaseType::of(&variable.kind), variable.value_reference);
        steps.add(
            "R6",
            format!("fmi2Set{base_type} of {what}, `{}`", variable.name),
            must_refuse("R6", AT_EASE, move |probe, raw| {
                set(probe, raw, base_type, reference)
            }),
        );
    }
}

fn set(probe: &Probe, raw: &Raw, base_type: BaseType, reference: u32) -> Option<Status> {
    let (c, vr) = (raw.component, &reference);
    match base_type {
        BaseType::Real => raw!(probe.library, fmi2SetReal(c, vr, 1, &0.0)),
        BaseType::Integer => raw!(probe.library, fmi2SetInteger(c, vr, 1, &0)),
        BaseType::Boolean => raw!(probe.library, fmi2SetBoolean(c, vr, 1, &0)),
        BaseType::String => raw!(probe.library, fmi2SetString(c, vr, 1, &c"".as_ptr())),
    }
}

fn null_pointers(steps: &mut Steps, probe: &Probe) {
    let add = |steps: &mut Steps, place: &str, state: State, call: fn(&Probe, &Raw) -> Option<Status>| {
        steps.add("R5", place, must_refuse("R5", state, call));
    };
    add(
        steps,
        "fmi2GetReal with null as value references",
        AT_EASE,
        |probe, raw| raw!(probe.library, fmi2GetReal(raw.component, null(), 1, &mut 0.0)),
    );
    if let Some(position) = probe.fmu.description().model_variables.iter().position(is_real) {
        let reference = probe.fmu.description().model_variables[position].value_reference;
        steps.add(
            "R5",
            "fmi2GetReal with null as values",
            must_refuse("R5", AT_EASE, move |probe, raw| {
                raw!(
                    probe.library,
                    fmi2GetReal(raw.component, &reference, 1, null_mut())
                )
            }),
        );
    }
    add(
        steps,
        "fmi2GetReal with null as instance",
        State::Instantiated,
        |probe, _| raw!(probe.library, fmi2GetReal(null_mut(), &0, 1, &mut 0.0)),
    );
    add(
        steps,
        "fmi2EnterInitializationMode with null as instance",
        State::Instantiated,
        |probe, _| raw!(probe.library, fmi2EnterInitializationMode(null_mut())),
    );
    if probe.is_model_exchange() {
        add(
            steps,
            "fmi2NewDiscreteStates with null as event info",
            State::Event,
            |probe, raw| raw!(probe.library, fmi2NewDiscreteStates(raw.component, null_mut())),
        );
        if !probe.fmu.description().model_structure.derivatives.is_empty() {
            add(
                steps,
                "fmi2GetDerivatives with null as derivatives",
                State::ContinuousTime,
                |probe, raw| {
                    let count = probe.fmu.description().model_structure.derivatives.len();
                    raw!(
                        probe.library,
                        fmi2GetDerivatives(raw.component, null_mut(), count)
                    )
                },
            );
        }
        add(
            steps,
            "fmi2GetContinuousStates with a wrong number",
            State::ContinuousTime,
            |probe, raw| {
                let mut x = vec![0.0; probe.fmu.description().model_structure.derivatives.len() + 1];
                raw!(
                    probe.library,
                    fmi2GetContinuousStates(raw.component, x.as_mut_ptr(), x.len())
                )
            },
        );
    } else {
        add(
            steps,
            "fmi2DoStep with null as instance",
            State::Instantiated,
            |probe, _| raw!(probe.library, fmi2DoStep(null_mut(), 0.0, 1.0, 1)),
        );
    }
    // Nothing to read is nothing to refuse.
    steps.add(
        "R5",
        "fmi2GetReal of no variables, with null as arrays",
        |probe| {
            let Some(raw) = probe.raw_in(AT_EASE)? else {
                return Ok(());
            };
            let status = raw!(probe.library, fmi2GetReal(raw.component, null(), 0, null_mut()));
            if refused(status) {
                probe.found("R5", format!("it returns {}", status.unwrap_or(Status::Error)));
            }
            Ok(())
        },
    );
}

fn is_real(variable: &ScalarVariable) -> bool {
    matches!(variable.kind, VariableKind::Real { .. })
}

/// Inputs that are no numbers: whatever happens, it does not crash or hang.
fn odd_numbers(steps: &mut Steps, probe: &Probe) {
    let inputs = probe.fmu.description().model_variables.iter().filter(|variable| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && is_real(variable)
    });
    for variable in inputs.take(3) {
        let reference = variable.value_reference;
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300] {
            steps.add(
                "R10",
                format!("{odd:e} for the input `{}`", variable.name),
                move |probe| {
                    let mut driver = probe.running()?;
                    let plan = probe.plan;
                    if driver.set_reals(&[reference], &[odd]).is_ok() {
                        // A fatal end would be a crash by another name.
                        for _ in 0..3 {
                            if let Err(Error::Call {
                                status: Status::Fatal,
                                ..
                            }) = driver.advance(&plan, &mut Vec::new())
                            {
                                probe.found("R10", "it returns fmi2Fatal, which condemns all instances");
                                probe.replace = true;
                                return Ok(());
                            }
                        }
                    }
                    Ok(())
                },
            );
        }
    }
}

/// Booleans that are neither fmi2False nor fmi2True.
fn odd_booleans(steps: &mut Steps, probe: &Probe) {
    let boolean = probe.fmu.description().model_variables.iter().find(|variable| {
        matches!(variable.kind, VariableKind::Boolean { .. })
            && matches!(variable.causality, Causality::Parameter | Causality::Input)
    });
    let Some(variable) = boolean else { return };
    let reference = variable.value_reference;
    steps.add(
        "R9",
        format!("7 for the Boolean `{}`", variable.name),
        move |probe| {
            let Some(raw) = probe.raw_in(AT_EASE)? else {
                return Ok(());
            };
            let (c, mut value) = (raw.component, 0);
            let set = raw!(probe.library, fmi2SetBoolean(c, &reference, 1, &7));
            let get = raw!(probe.library, fmi2GetBoolean(c, &reference, 1, &mut value));
            if !refused(set) && get == Some(Status::Ok) && !matches!(value, fmi2::fmi2False | fmi2::fmi2True)
            {
                probe.found("R9", format!("it is taken, and read back as {value}"));
            }
            Ok(())
        },
    );
}

fn odd_steps(steps: &mut Steps) {
    let add = |steps: &mut Steps, place: &str, time: fn(&Probe) -> f64, step: fn(&Probe) -> f64| {
        let call = move |probe: &Probe, raw: &Raw| {
            raw!(
                probe.library,
                fmi2DoStep(raw.component, time(probe), step(probe), 1)
            )
        };
        steps.add("R13", place, must_refuse("R13", State::StepComplete, call));
    };
    add(
        steps,
        "fmi2DoStep with a negative step",
        |probe| probe.plan.start,
        |probe| -probe.plan.step,
    );
    add(
        steps,
        "fmi2DoStep with NaN as step",
        |probe| probe.plan.start,
        |_| f64::NAN,
    );
    add(
        steps,
        "fmi2DoStep from another time than the last step ended",
        |probe| probe.plan.start + 10.0 * probe.plan.step,
        |probe| probe.plan.step,
    );
}

/// Functions behind capabilities that are not declared: they are there, and return.
fn undeclared(steps: &mut Steps, probe: &Probe) {
    let interface = &probe.interface;
    let running = if probe.is_model_exchange() {
        State::ContinuousTime
    } else {
        State::StepComplete
    };
    let mut add = |place: &str, call: fn(&Probe, &Raw)| {
        steps.add("C8", place, move |probe| {
            if let Some(raw) = probe.raw_in(running)? {
                call(probe, &raw);
            }
            Ok(())
        });
    };
    if !interface.can_get_and_set_fmu_state {
        add("fmi2GetFMUstate", |probe, raw| {
            let mut state = null_mut();
            if raw!(probe.library, fmi2GetFMUstate(raw.component, &mut state)) == Some(Status::Ok) {
                raw!(probe.library, fmi2FreeFMUstate(raw.component, &mut state));
            }
        });
    }
    if !interface.provides_directional_derivative {
        add("fmi2GetDirectionalDerivative", |probe, raw| {
            let c = raw.component;
            raw!(
                probe.library,
                fmi2GetDirectionalDerivative(c, null(), 0, null(), 0, null(), null_mut())
            );
        });
    }
    if probe.is_model_exchange() {
        return;
    }
    add("fmi2GetRealOutputDerivatives of no variables", |probe, raw| {
        raw!(
            probe.library,
            fmi2GetRealOutputDerivatives(raw.component, null(), 0, null(), null_mut())
        );
    });
    add("fmi2SetRealInputDerivatives of no variables", |probe, raw| {
        raw!(
            probe.library,
            fmi2SetRealInputDerivatives(raw.component, null(), 0, null(), null())
        );
    });
    add("fmi2CancelStep", |probe, raw| {
        raw!(probe.library, fmi2CancelStep(raw.component));
    });
    add("the functions for the status", |probe, raw| {
        let (c, library) = (raw.component, &probe.library);
        let (mut status, mut text) = (fmi2::fmi2OK, null());
        for kind in [
            fmi2::fmi2DoStepStatus,
            fmi2::fmi2PendingStatus,
            fmi2::fmi2LastSuccessfulTime,
            fmi2::fmi2Terminated,
        ] {
            raw!(library, fmi2GetStatus(c, kind, &mut status));
            raw!(library, fmi2GetRealStatus(c, kind, &mut 0.0));
            raw!(library, fmi2GetIntegerStatus(c, kind, &mut 0));
            raw!(library, fmi2GetBooleanStatus(c, kind, &mut 0));
            raw!(library, fmi2GetStringStatus(c, kind, &mut text));
        }
    });
}
