//! R7, R7a and R8: start values, values set before initialization, texts.

use fmu_standard::description::{Causality, Initial, Variability, VariableKind};

use super::child::Probe;
use super::points::start_value;
use super::steps::Steps;
use crate::described::initial;
use fmu_importer::{Error, Instance, Value};

pub(super) fn add(steps: &mut Steps) {
    steps.add("R7a", "its start values", start_values);
    steps.add(
        "R7",
        "values set before initialization",
        values_before_initialization,
    );
    steps.add("R8", "its texts", texts);
}

/// The largest number of variables that are checked.
const MANY: usize = 5000;

fn start_values(probe: &mut Probe) -> Result<(), Error> {
    let mut driver = probe.instance()?;
    let instance: &mut Instance = &mut driver;
    instance.initialize(&probe.plan.experiment())?;
    let fmu = probe.fmu.clone();
    for variable in fmu.description().model_variables.iter().take(MANY) {
        // Discrete variables may have changed in the first event.
        let discrete = variable.variability == Variability::Discrete;
        let fixed =
            variable.causality == Causality::Input || initial(variable) == Some(Initial::Exact) && !discrete;
        let Some(start) = start_value(&variable.kind).filter(|_| fixed) else {
            continue;
        };
        let found = driver.get(&variable.name)?;
        let same = match (&found, &start) {
            // Descriptions have a few digits, libraries have all.
            (Value::Real(found), Value::Real(start)) => (found - start).abs() <= 1e-6 * start.abs(),
            (found, start) => found == start,
        };
        if !same {
            let name = &variable.name;
            probe.found(
                "R7a",
                format!("`{name}` begins with {found}, its start value is {start}"),
            );
        }
    }
    Ok(())
}

fn values_before_initialization(probe: &mut Probe) -> Result<(), Error> {
    let mut driver = probe.instance()?;
    let fmu = probe.fmu.clone();
    let mut set = Vec::new();
    for variable in &fmu.description().model_variables {
        let parameter =
            variable.causality == Causality::Parameter && variable.variability != Variability::Constant;
        if let (true, Some(Value::Real(start))) = (parameter, start_value(&variable.kind)) {
            // A little is enough, and hardly leaves the range.
            let value = start + start.abs().max(1e-3) * 1e-6;
            match driver.set(&variable.name, value) {
                Ok(()) => set.push((&variable.name, value)),
                Err(error) if error.is_discard() => {}
                Err(error) => return Err(error),
            }
        }
        if set.len() >= 100 {
            break;
        }
    }
    let instance: &mut Instance = &mut driver;
    instance.initialize(&probe.plan.experiment())?;
    for (name, value) in set {
        let found = driver.real(name)?;
        if found.to_bits() != value.to_bits() {
            probe.found(
                "R7",
                format!("`{name}` was set to {value} before initialization, and is {found}"),
            );
        }
    }
    Ok(())
}

fn texts(probe: &mut Probe) -> Result<(), Error> {
    let fmu = probe.fmu.clone();
    let parameter = fmu.description().model_variables.iter().find(|variable| {
        variable.causality == Causality::Parameter && matches!(variable.kind, VariableKind::String { .. })
    });
    let Some(variable) = parameter else { return Ok(()) };
    for text in ["Ab3 \u{e4}\u{20ac}", ""] {
        let mut driver = probe.instance()?;
        let own = String::from(text);
        driver.set(&variable.name, own.as_str())?;
        drop(own);
        let instance: &mut Instance = &mut driver;
        instance.initialize(&probe.plan.experiment())?;
        let found = driver.string(&variable.name)?;
        if found != text {
            probe.found(
                "R8",
                format!("`{}` was set to \"{text}\", and is \"{found}\"", variable.name),
            );
        }
    }
    Ok(())
}
