//! R11 and R11a: values outside of `min` and `max`.

use fmu_standard::description::Causality;

use super::arguments::AT_EASE;
use super::child::Probe;
use super::raw::{Raw, raw, refused};
use super::steps::Steps;
use fmu_importer::{BaseType, Error, State, Status};

/// The number of variables that are tried per causality.
const MOST: usize = 5;

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    for causality in [Causality::Parameter, Causality::Input] {
        let variables = probe.fmu.description().model_variables.iter().enumerate();
        let bounded = variables
            .filter(|(_, variable)| variable.causality == causality)
            .filter_map(|(position, variable)| Some((variable, outside(probe, position)?)));
        for (variable, value) in bounded.take(MOST) {
            let (base_type, reference) = (BaseType::of(&variable.kind), variable.value_reference);
            let what = match causality {
                Causality::Input => "input",
                _ => "parameter",
            };
            let place = format!("{value} for the {what} `{}`", variable.name);
            steps.add("R11", place, move |probe| match causality {
                Causality::Input => input(probe, base_type, reference, value),
                _ => parameter(probe, base_type, reference, value),
            });
        }
    }
    if probe.is_model_exchange() {
        let mut states: Vec<_> = probe.states.iter().map(|(at, state)| (*state, *at)).collect();
        states.sort_unstable();
        let bounded = states
            .into_iter()
            .filter_map(|(state, position)| Some((state, position, outside(probe, position)?)));
        for (state, position, value) in bounded.take(MOST) {
            let name = &probe.fmu.description().model_variables[position].name;
            let place = format!("{value} for the state `{name}`");
            steps.add("R11a", place, move |probe| integrated(probe, state, value));
        }
    }
}

/// A value that is too large, or too small where there is no upper bound.
fn outside(probe: &Probe, position: usize) -> Option<f64> {
    let (min, max) = probe.fmu.range(position);
    let beyond = |bound: f64, side: f64| bound + side * bound.abs().max(1.0);
    let value = max
        .map(|max| beyond(max, 1.0))
        .or(min.map(|min| beyond(min, -1.0)))?;
    let kind = &probe.fmu.description().model_variables[position].kind;
    let fits = match BaseType::of(kind) {
        BaseType::Integer => (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value),
        _ => value.is_finite(),
    };
    fits.then_some(value)
}

fn set(probe: &Probe, raw: &Raw, base_type: BaseType, reference: u32, value: f64) -> Option<Status> {
    match base_type {
        BaseType::Real => raw!(probe.library, fmi2SetReal(raw.component, &reference, 1, &value)),
        _ => raw!(
            probe.library,
            fmi2SetInteger(raw.component, &reference, 1, &(value as i32))
        ),
    }
}

fn get(probe: &Probe, raw: &Raw, base_type: BaseType, reference: u32) -> Option<f64> {
    let (mut real, mut integer) = (0.0, 0);
    let status = match base_type {
        BaseType::Real => raw!(
            probe.library,
            fmi2GetReal(raw.component, &reference, 1, &mut real)
        ),
        _ => raw!(
            probe.library,
            fmi2GetInteger(raw.component, &reference, 1, &mut integer)
        ),
    };
    let value = match base_type {
        BaseType::Real => real,
        _ => f64::from(integer),
    };
    (status == Some(Status::Ok)).then_some(value)
}

fn parameter(probe: &mut Probe, base_type: BaseType, reference: u32, value: f64) -> Result<(), Error> {
    let Some(raw) = probe.raw_in(AT_EASE)? else {
        return Ok(());
    };
    let status = set(probe, &raw, base_type, reference, value);
    if status == Some(Status::Ok) {
        probe.found("R11", "it is taken without a word");
    } else if refused(status) && get(probe, &raw, base_type, reference) == Some(value) {
        probe.found("R11", "it is refused, and stored");
    }
    Ok(())
}

/// Inputs come from other solvers, which may overshoot: that is worth a warning, not an end.
fn input(probe: &mut Probe, base_type: BaseType, reference: u32, value: f64) -> Result<(), Error> {
    let Some(raw) = probe.raw_in(AT_EASE)? else {
        return Ok(());
    };
    match set(probe, &raw, base_type, reference, value) {
        Some(Status::Ok) => probe.found("R11", "it is taken without a word"),
        Some(status @ (Status::Error | Status::Fatal)) => probe.found("R11a", format!("it returns {status}")),
        _ => {}
    }
    Ok(())
}

fn integrated(probe: &mut Probe, state: usize, value: f64) -> Result<(), Error> {
    let Some(raw) = probe.raw_in(State::ContinuousTime)? else {
        return Ok(());
    };
    let (c, mut x) = (raw.component, vec![0.0; probe.states.len()]);
    raw!(probe.library, fmi2GetContinuousStates(c, x.as_mut_ptr(), x.len()));
    if let Some(x) = x.get_mut(state) {
        *x = value;
    }
    let status = raw!(probe.library, fmi2SetContinuousStates(c, x.as_ptr(), x.len()));
    if refused(status) {
        probe.found("R11a", format!("it returns {}", status.unwrap_or(Status::Error)));
    }
    Ok(())
}
