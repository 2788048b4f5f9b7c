//! Two light FMUs: by the master, inside a container of `fmucontainer`, and by plain C that only calls them.

use std::path::Path;
use std::time::Instant;

use fmu_importer::{Experiment, Fmu, Step};
use fmu_master::System;
use fmu_master::settings::{Parallel, Settings};

use crate::pair::{PlainC, STEP};
use crate::{Outcome, median};

/// Both FMUs have one input and one output.
const NAMES: [(&str, &str); 2] = [("u", "x"), ("u", "x")];

/// Seconds for a number of steps, and the last outputs.
type Run = (f64, [f64; 2]);

pub fn race(
    plain_c: &Path,
    fmus: [&Path; 2],
    container: Option<&Path>,
    rounds: usize,
    steps: usize,
) -> Outcome<()> {
    let mut plain_c = PlainC::load(plain_c, fmus, NAMES)?;
    let container = container.map(Fmu::open).transpose()?;
    let mut times = Vec::new();
    for round in 0..rounds {
        let theirs = || container.as_ref().map(|fmu| by_container(fmu, steps)).transpose();
        // The second one may find a warmer processor: they take turns.
        let first = if round % 2 == 0 { theirs()? } else { None };
        let ours = by_master(fmus, steps)?;
        let theirs = if round % 2 == 0 { first } else { theirs()? };
        let bare = plain_c.run(steps, false)?;
        if let Some(theirs) = theirs.filter(|theirs| !near(theirs.1, ours.1)) {
            return Err(format!("master and container end at {:?} and {:?}", ours.1, theirs.1).into());
        }
        if !near(bare.1, ours.1) {
            return Err(format!("master and plain C end at {:?} and {:?}", ours.1, bare.1).into());
        }
        times.push((ours.0, theirs.map_or(f64::NAN, |theirs| theirs.0), bare.0));
    }
    let nanoseconds = 1e9 / steps as f64;
    println!(
        "{} {}",
        median(&times, |t| t.0) * nanoseconds,
        median(&times, |t| t.2) * nanoseconds
    );
    println!("{}", median(&times, |t| t.0 / t.2));
    if container.is_some() {
        println!(
            "{} {}",
            median(&times, |t| t.1) * nanoseconds,
            median(&times, |t| t.0 / t.1)
        );
    }
    Ok(())
}

/// The times of the steps differ by rounding, so the results do too.
fn near(one: [f64; 2], other: [f64; 2]) -> bool {
    one.iter()
        .zip(other)
        .all(|(one, other)| (one - other).abs() < 1e-9)
}

fn by_master([first, second]: [&Path; 2], steps: usize) -> Outcome<Run> {
    let settings = Settings::default()
        .step(STEP)
        .stop(steps as f64 * STEP)
        .parallel(Parallel::Never);
    let mut assembled = System::default()
        .component("first", first)
        .component("second", second)
        .connect("first.x", "second.u")
        .connect("second.x", "first.u")
        .settings(settings)
        .assemble()?;
    let master = &mut assembled.master;
    master.initialize(&assembled.start)?;
    let begin = Instant::now();
    master.run(|_| true)?;
    let seconds = begin.elapsed().as_secs_f64();
    let y = master.outputs();
    Ok((seconds, [y[0], y[1]]))
}

/// One long step of the container, which makes all the small ones itself.
fn by_container(fmu: &Fmu, steps: usize) -> Outcome<Run> {
    let mut instance = fmu.co_simulation("container")?;
    let end = steps as f64 * STEP;
    instance.initialize(&Experiment::default().until(end))?;
    let begin = Instant::now();
    let step = instance.do_step(0.0, end)?;
    let seconds = begin.elapsed().as_secs_f64();
    if step != Step::Done {
        return Err(format!("the container ends its step with {step:?}").into());
    }
    Ok((seconds, [instance.real("x1")?, instance.real("x2")?]))
}
