//! R1a: the step of runs where the description has none, and how many steps there is time for.

use std::path::Path;

use super::child::Probe;
use super::drive::Plan;
use fmu_importer::{Error, Status, Step};

/// Steps that slaves of one step size often have.
const USUAL: [f64; 6] = [1e-3, 1e-2, 0.1, 1.0, 1e-4, 60.0];

/// The file that leads the choice to the next process: the step, and how many.
const FILE: &str = "steps";

/// The step that an earlier process chose, and how many of them.
pub(super) fn noted(notes: &Path) -> Option<(f64, usize)> {
    let text = std::fs::read_to_string(notes.join(FILE)).ok()?;
    let (step, steps) = text.split_once(' ')?;
    Some((step.parse().ok()?, steps.parse().ok()?))
}

/// Leads the choice to the next process.
pub(super) fn note(probe: &Probe) {
    let Plan { step, steps, .. } = probe.plan;
    // A process that does not find it guesses as this one did.
    let _ = std::fs::write(probe.notes.join(FILE), format!("{step} {steps}"));
}

/// Whether an error may be about the size of a step.
pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::Call {
            status: Status::Error | Status::Discard,
            ..
        }
    )
}

/// Finds a step that a slave takes, where its description has none and the guess is refused; `true` if the plan has
/// another one now.
pub(super) fn choose(probe: &mut Probe) -> Result<bool, Error> {
    let experiment = probe.fmu.description().default_experiment.unwrap_or_default();
    let declared = experiment.step_size.is_some_and(|step| step > 0.0);
    if declared || probe.is_model_exchange() || noted(&probe.notes).is_some() {
        return Ok(false);
    }
    let guess = probe.plan.step;
    let first = taken(probe, guess);
    let refused = match first {
        Ok(true) => return Ok(false),
        Ok(false) => "it discards it".into(),
        Err(ref error) if is_refusal(error) => "it returns fmi2Error".to_string(),
        Err(error) => return Err(error),
    };
    for step in USUAL {
        if taken(probe, step).is_ok_and(|taken| taken) {
            probe.found(
                "R1a",
                format!(
                    "no stepSize is declared, and of a step of {guess} s {refused}; one of {step} s is taken"
                ),
            );
            probe.plan.step = step;
            note(probe);
            return Ok(true);
        }
    }
    match first {
        // Whatever the step, it fails: the run says why.
        Err(_) => Ok(false),
        Ok(_) => {
            let problem =
                format!("no stepSize is declared, and steps of {guess} s and {USUAL:?} s are discarded");
            probe.found("R1a", problem);
            Ok(false)
        }
    }
}

/// Whether a fresh instance takes a first step of a size.
fn taken(probe: &Probe, step: f64) -> Result<bool, Error> {
    let mut driver = probe.running()?;
    let time = driver.time;
    let Some(slave) = driver.co_simulation() else {
        return Ok(true);
    };
    Ok(!matches!(slave.do_step(time, step)?, Step::Discarded { .. }))
}
