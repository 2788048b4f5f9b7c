//! R5, R9, R10 and C8: arguments that are wrong.

use std::ptr::{null, null_mut};

use fmu_standard::description::{Causality, ModelVariable, Variability, VariableKind};
use fmu_standard::fmi2;

use super::child::Probe;
use super::raw::{Raw, raw, refused};
use super::steps::Steps;
use fmu_importer::{Error, State, Status};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    null_pointers(steps, probe);
    odd_booleans(steps, probe);
    odd_numbers(steps, probe);
    undeclared(steps, probe);
}

/// The state in which values are read and set at ease.
pub(super) const AT_EASE: State = State::Initialization;

/// Tries a call that must be refused.
pub(super) fn must_refuse(
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

fn is_real(variable: &ModelVariable) -> bool {
    matches!(variable.kind, VariableKind::Real { .. })
}

/// Inputs that are not numbers must not let it crash or hang.
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
