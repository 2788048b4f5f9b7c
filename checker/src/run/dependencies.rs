//! M8 and M8a: what an unknown depends on is declared. One known is changed, and all unknowns are watched.

use std::collections::HashSet;

use super::child::Probe;
use super::points::{Mode, Structure};
use super::steps::Steps;
use fmu_importer::{Error, Status, Value};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    let modes: &[Mode] = if probe.is_model_exchange() {
        &[Mode::Initialization, Mode::ContinuousTime, Mode::Event]
    } else {
        &[Mode::Initialization, Mode::CommunicationPoint]
    };
    for mode in modes.iter().copied() {
        steps.add("M8", format!("dependencies {}", mode.name()), move |probe| {
            watch(probe, mode)
        });
    }
}

fn watch(probe: &mut Probe, mode: Mode) -> Result<(), Error> {
    let structure = Structure::of(probe, mode);
    if structure
        .unknowns
        .iter()
        .all(|unknown| unknown.dependencies.is_none())
    {
        return Ok(());
    }
    let mut reported = HashSet::new();
    for known in &structure.knowns {
        let Some(mut driver) = probe.at(mode)? else {
            return Ok(());
        };
        let value = known.get(&mut driver)?;
        let before = structure.read(&mut driver)?;
        for other in known.others(&value, probe.plan.step) {
            let changed = known
                .set(&mut driver, &other)
                .and_then(|()| structure.read(&mut driver));
            let after = match changed {
                Ok(after) => after,
                // The value is out of its range.
                Err(Error::Call {
                    status: Status::Discard,
                    ..
                }) => continue,
                Err(_) => break,
            };
            for ((unknown, before), after) in structure.unknowns.iter().zip(&before).zip(&after) {
                if changed_value(before, after)
                    && !unknown.depends_on(known)
                    && reported.insert((known.position, unknown.name.clone()))
                {
                    let rule = structure.rule_of_missing(unknown, known);
                    let (unknown, known) = (&unknown.name, &known.name);
                    probe.found(
                        rule,
                        format!("`{unknown}` changes with `{known}`, which is not among its dependencies"),
                    );
                }
            }
            if known.set(&mut driver, &value).is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Whether a value is another one; NaN stays NaN.
fn changed_value(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Real(before), Value::Real(after)) => before != after && !(before.is_nan() && after.is_nan()),
        (before, after) => before != after,
    }
}
