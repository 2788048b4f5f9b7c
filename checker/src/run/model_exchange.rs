//! R19, R19a and C7: what an integrator relies on.

use super::child::Probe;
use super::steps::Steps;
use fmu_importer::Error;

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    if probe.is_model_exchange() {
        steps.add("R19", "the invariants of Model Exchange", invariants);
        steps.add("R19", "events on the way", events);
        steps.add("C7", "completedIntegratorStepNotNeeded", step_events);
    }
}

fn invariants(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let mut driver = probe.running()?;
    for _ in 0..plan.steps.min(20) {
        let time = driver.time;
        let Some(model) = driver.model_exchange() else {
            return Ok(());
        };
        let nx = model.number_of_states();
        let (mut nominals, mut x, mut dx) = (vec![0.0; nx], vec![0.0; nx], vec![0.0; nx]);
        if nx > 0 {
            model.nominals_of_continuous_states(&mut nominals)?;
            if let Some(nominal) = nominals
                .iter()
                .find(|nominal| !(nominal.is_finite() && **nominal > 0.0))
            {
                probe.found(
                    "R19",
                    format!("fmi2GetNominalsOfContinuousStates answers {nominal}"),
                );
                return Ok(());
            }
            model.continuous_states(&mut x)?;
            model.derivatives(&mut dx)?;
            if !dx.iter().all(|dx| dx.is_finite()) {
                return Ok(());
            }
            // Away and back: whatever is cached must notice.
            let away: Vec<f64> = x
                .iter()
                .zip(&nominals)
                .map(|(x, nominal)| x + 1e-6 * nominal)
                .collect();
            let mut there = dx.clone();
            model.set_continuous_states(&away)?;
            let went = model.derivatives(&mut there);
            model.set_time(time)?;
            model.set_continuous_states(&x)?;
            let mut back = vec![0.0; nx];
            model.derivatives(&mut back)?;
            if went.is_ok() && back.iter().zip(&dx).any(|(a, b)| a.to_bits() != b.to_bits()) {
                probe.found(
                    "R19",
                    "derivatives differ after the states went away and came back",
                );
                return Ok(());
            }
        }
        driver.advance(&plan, &mut Vec::new())?;
        if !driver.is_running() {
            break;
        }
    }
    Ok(())
}

/// After an event the next one is to come, and what showed it can show another.
fn events(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let mut driver = probe.running()?;
    for _ in 0..plan.steps {
        driver.advance(&plan, &mut Vec::new())?;
        if !driver.is_running() {
            break;
        }
        if driver.next_event().is_some_and(f64::is_nan) {
            probe.found(
                "R19b",
                format!("at {} the time of the next event is NaN", driver.time),
            );
            return Ok(());
        }
        if let Some(event) = driver.next_event().filter(|event| *event <= driver.time) {
            probe.found(
                "R19",
                format!(
                    "at {} the next time event is at {event}, which is over",
                    driver.time
                ),
            );
            return Ok(());
        }
        if let Some(position) = driver.zero_indicator {
            let number = position + 1;
            probe.found(
                "R19a",
                format!("event indicator {number} is 0 after it changed its sign"),
            );
            return Ok(());
        }
    }
    Ok(())
}

fn step_events(probe: &mut Probe) -> Result<(), Error> {
    let not_needed = probe
        .fmu
        .description()
        .model_exchange
        .as_ref()
        .is_some_and(|me| me.completed_integrator_step_not_needed);
    let (plan, mut driver) = (probe.plan, probe.running()?);
    for _ in 0..plan.steps {
        driver.advance(&plan, &mut Vec::new())?;
    }
    if not_needed && driver.had_step_event {
        probe.found(
            "C7",
            "fmi2CompletedIntegratorStep asks for event mode, and the flag says that it need not be called",
        );
    }
    Ok(())
}
