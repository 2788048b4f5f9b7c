//! R16 and R17: snapshots, and the mark of the build that they carry.

use super::child::Probe;
use super::drive::Driver;
use super::steps::Steps;
use fmu_importer::{Error, Fmu, SerializedSnapshot, Snapshot, State};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    if !probe.interface.can_get_and_set_fmu_state {
        return;
    }
    steps.add("R17", "a snapshot in the middle of a run", replay);
    steps.add("R17", "a snapshot after fmi2Terminate and fmi2Reset", revival);
    steps.add("R17", "many snapshots", many);
    if probe.interface.can_serialize_fmu_state {
        steps.add("R17", "a snapshot as bytes", bytes);
        steps.add("R17", "a snapshot as bytes, taken for another process", leave);
        steps.add("R17", "a snapshot as bytes of another process", find);
        steps.add("R17a", "half of the bytes of a snapshot", half);
    }
}

/// An instance after some steps, with a snapshot of it; `None` if its run has ended before.
fn under_way(probe: &Probe, steps: usize) -> Result<Option<(Driver, Snapshot)>, Error> {
    let mut driver = probe.running()?;
    driver.trace(&probe.plan, steps)?;
    if !driver.is_running() {
        return Ok(None);
    }
    let snapshot = driver.snapshot()?;
    Ok(Some((driver, snapshot)))
}

fn replay(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let Some((mut driver, snapshot)) = under_way(probe, few)? else {
        return Ok(());
    };
    let (time, next) = (driver.time, driver.next_event());
    let first = driver.trace(&plan, few)?;
    driver.restore(&snapshot)?;
    driver.go_to(time, next);
    let second = driver.trace(&plan, few)?;
    if first != second {
        let at = first.iter().zip(&second).position(|(a, b)| a != b);
        let how = match at {
            Some(0) | None => "from the start",
            Some(_) => "after a while",
        };
        probe.found(
            "R17",
            format!("the run from a snapshot differs from the first one, {how}"),
        );
    }
    Ok(())
}

fn revival(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(5));
    let Some((mut driver, snapshot)) = under_way(probe, few)? else {
        return Ok(());
    };
    let (time, next) = (driver.time, driver.next_event());
    let first = driver.trace(&plan, few)?;
    if !driver.is_running() {
        return Ok(());
    }
    driver.terminate()?;
    driver.restore(&snapshot)?;
    driver.go_to(time, next);
    let after_terminate = driver.trace(&plan, few)?;
    driver.reset()?;
    driver.restore(&snapshot)?;
    driver.go_to(time, next);
    let after_reset = driver.trace(&plan, few)?;
    if after_terminate != first {
        probe.found(
            "R17",
            "after fmi2Terminate the run from a snapshot differs from the first one",
        );
    }
    if after_reset != first {
        probe.found(
            "R17",
            "after fmi2Reset the run from a snapshot differs from the first one",
        );
    }
    Ok(())
}

fn many(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let mut driver = probe.running()?;
    let mut snapshots = Vec::new();
    for _ in 0..10 {
        snapshots.push((driver.snapshot()?, driver.trace(&plan, 0)?));
        driver.advance(&plan, &mut Vec::new())?;
    }
    for (snapshot, trace) in snapshots.iter().rev() {
        driver.restore(snapshot)?;
        if driver.trace(&plan, 0)? != *trace {
            probe.found(
                "R17",
                "values after a snapshot was restored differ from those when it was taken",
            );
            return Ok(());
        }
    }
    let (mut last, _) = snapshots.remove(0);
    driver.snapshot_into(&mut last)?;
    Ok(())
}

/// The mark in the description of an FMU of this workspace.
fn mark_of_build(fmu: &Fmu) -> Option<String> {
    let annotations = &fmu.description().vendor_annotations;
    let build = annotations
        .iter()
        .find(|annotation| annotation.tool == fmu_standard::extension::BUILD_TOOL)?;
    let mark = build.xml.split("mark=\"").nth(1)?.split('"').next()?;
    (!mark.is_empty()).then(|| mark.to_owned())
}

fn bytes(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let Some((mut driver, snapshot)) = under_way(probe, few)? else {
        return Ok(());
    };
    let serialized = driver.serialize(&snapshot)?;
    if let Some(mark) = mark_of_build(&probe.fmu)
        && !serialized
            .bytes
            .windows(mark.len())
            .any(|part| part == mark.as_bytes())
    {
        probe.found(
            "R17b",
            format!("the description has the mark {mark}, which the library's snapshots do not have"),
        );
    }
    let (time, next) = (driver.time, driver.next_event());
    let first = driver.trace(&plan, few)?;
    drop(snapshot);
    let once = probe.interface.can_be_instantiated_only_once_per_process;
    let mut other = if once {
        driver
    } else {
        drop(driver);
        probe.instance()?
    };
    let revived = other.deserialize(&serialized)?;
    other.restore(&revived)?;
    other.go_to(time, next);
    if other.trace(&plan, few)? != first {
        probe.found(
            "R17",
            "the run from a snapshot that was bytes differs from the first one",
        );
    }
    Ok(())
}

/// The files that lead from one process to the next: a snapshot, and the run that follows from it.
const LEFT: [&str; 2] = ["snapshot", "run"];

fn leave(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let Some((mut driver, snapshot)) = under_way(probe, few)? else {
        return Ok(());
    };
    let serialized = driver.serialize(&snapshot)?;
    // When the run goes on, and when its next event is due, belong to the environment.
    let mut run = vec![
        driver.time.to_bits(),
        driver.next_event().unwrap_or(f64::NAN).to_bits(),
    ];
    run.extend(driver.trace(&plan, few)?);
    let run: Vec<u8> = run.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (name, bytes) in LEFT.iter().zip([serialized.bytes, run]) {
        let path = probe.notes.join(name);
        std::fs::write(&path, bytes).map_err(|source| Error::Read { path, source })?;
    }
    probe.replace = true;
    Ok(())
}

fn find(probe: &mut Probe) -> Result<(), Error> {
    let files = LEFT.map(|name| std::fs::read(probe.notes.join(name)));
    // Nothing was left where the run ended before.
    let [Ok(bytes), Ok(run)] = files else {
        return Ok(());
    };
    let words = run
        .chunks_exact(8)
        .map(|word| word.try_into().unwrap_or_default());
    let run: Vec<u64> = words.map(u64::from_le_bytes).collect();
    let [time, next, first @ ..] = &run[..] else {
        return Ok(());
    };
    let next = Some(f64::from_bits(*next)).filter(|next| !next.is_nan());
    let state = match probe.is_model_exchange() {
        true => State::ContinuousTime,
        false => State::StepComplete,
    };
    let mut driver = probe.instance()?;
    let revived = driver.deserialize(&SerializedSnapshot { bytes, state })?;
    driver.restore(&revived)?;
    driver.go_to(f64::from_bits(*time), next);
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    if driver.trace(&plan, few)? != first {
        probe.found(
            "R17",
            "the run from a snapshot of another process differs from the one there",
        );
    }
    Ok(())
}

fn half(probe: &mut Probe) -> Result<(), Error> {
    let mut driver = probe.running()?;
    let snapshot = driver.snapshot()?;
    let SerializedSnapshot { mut bytes, state } = driver.serialize(&snapshot)?;
    bytes.truncate(bytes.len() / 2);
    probe.replace = true;
    match driver.deserialize(&SerializedSnapshot { bytes, state }) {
        Ok(_) => probe.found(
            "R17a",
            "fmi2DeSerializeFMUstate takes half of the bytes for a snapshot",
        ),
        Err(_) => probe.replace = false,
    }
    Ok(())
}
