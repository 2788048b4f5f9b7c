//! Two hydraulic lines, with held inputs and small steps, and with stabilized inputs and large ones.

use std::path::Path;
use std::time::Instant;

use fmu_master::System;
use fmu_master::settings::{Algorithm, Parallel, Settings};

use crate::Outcome;

const STOP: f64 = 0.05;

pub fn race(line: &Path, rounds: usize) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let explicit = run(line, Algorithm::Jacobi, 1e-6)?;
        times.push((explicit, run(line, Algorithm::Stabilized, 5e-5)?));
    }
    let of = |pick: fn(&(f64, f64)) -> f64| {
        let mut values: Vec<f64> = times.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!(
        "{} {} {}",
        of(|times| times.0),
        of(|times| times.1),
        of(|times| times.0 / times.1)
    );
    Ok(())
}

fn run(line: &Path, algorithm: Algorithm, step: f64) -> Outcome<f64> {
    let settings = Settings::default()
        .step(step)
        .stop(STOP)
        .algorithm(algorithm)
        .tolerance(Some(1e-5))
        .parallel(Parallel::Never);
    let mut assembled = System::default()
        .component("left", line)
        .component("right", line)
        .connect("left.effort", "right.effort_before")
        .connect("right.flow", "left.flow_behind")
        .input("left.effort_before", 1.0)
        .input("right.flow_behind", 0.5)
        .settings(settings)
        .assemble()?;
    assembled.master.initialize(&assembled.start)?;
    let begin = Instant::now();
    assembled.master.run(|_| true)?;
    Ok(begin.elapsed().as_secs_f64())
}
