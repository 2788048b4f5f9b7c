//! R6, R6a and R6b: value references that do not exist or cannot be set.

use std::ptr::null;

use fmu_standard::description::{Causality, Initial, ModelVariable, Variability};

use super::arguments::{AT_EASE, must_refuse};
use super::child::Probe;
use super::points::start_value;
use super::raw::{Raw, raw, refused};
use super::steps::Steps;
use crate::described::{initial, is_settable};
use fmu_importer::{BaseType, Status, Value};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    value_references(steps, probe);
    if probe.interface.provides_directional_derivative {
        let bad = unknown(probe, BaseType::Real);
        steps.add(
            "R6",
            "fmi2GetDirectionalDerivative by an unknown value reference",
            must_refuse("R6", AT_EASE, move |probe, raw| {
                let (c, known) = (raw.component, &bad);
                raw!(
                    probe.library,
                    fmi2GetDirectionalDerivative(c, known, 1, known, 1, &1.0, &mut 0.0)
                )
            }),
        );
    }
    whole_or_nothing(steps, probe);
}

/// A list of which one entry is wrong: nothing of it is set.
fn whole_or_nothing(steps: &mut Steps, probe: &Probe) {
    let description = probe.fmu.description();
    let found = description.model_variables.iter().find_map(|variable| {
        let settable = matches!(variable.causality, Causality::Parameter | Causality::Input);
        match start_value(&variable.kind) {
            Some(Value::Real(start)) if settable => Some((variable, start)),
            _ => None,
        }
    });
    let Some((variable, start)) = found else { return };
    let references = [variable.value_reference, unknown(probe, BaseType::Real)];
    // Another value, and hardly out of range.
    let values = [start + start.abs().max(1e-3) * 1e-6, 0.0];
    let place = format!(
        "fmi2SetReal of `{}` and an unknown value reference",
        variable.name
    );
    steps.add("R6a", place, move |probe| {
        let Some(raw) = probe.raw_in(AT_EASE)? else {
            return Ok(());
        };
        let (c, mut value) = (raw.component, start);
        let set = raw!(
            probe.library,
            fmi2SetReal(c, references.as_ptr(), 2, values.as_ptr())
        );
        let get = raw!(probe.library, fmi2GetReal(c, &references[0], 1, &mut value));
        if refused(set) && get == Some(Status::Ok) && value.to_bits() == values[0].to_bits() {
            probe.found("R6a", "the call is refused, and the first value is set");
        }
        Ok(())
    });
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
    type Is = fn(&ModelVariable) -> bool;
    let forbidden: [(&'static str, &str, Is); 4] = [
        ("R6", "a constant", |variable| {
            variable.variability == Variability::Constant
        }),
        ("R6", "the independent variable", |variable| {
            variable.causality == Causality::Independent
        }),
        ("R6", "a calculated parameter", |variable| {
            variable.causality == Causality::CalculatedParameter
        }),
        ("R6b", "an output", |variable| {
            variable.causality == Causality::Output && initial(variable) == Some(Initial::Calculated)
        }),
    ];
    for (rule, what, is) in forbidden {
        let description = probe.fmu.description();
        let alone = |variable: &ModelVariable| {
            let same = |other: &&ModelVariable| {
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
            rule,
            format!("fmi2Set{base_type} of {what}, `{}`", variable.name),
            must_refuse(rule, AT_EASE, move |probe, raw| {
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
