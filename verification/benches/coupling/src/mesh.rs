//! Fifty FMUs with forty inputs each, fed by forty others: a step by Newton's method beside a step by jacobi.

use std::path::Path;
use std::time::Instant;

use fmu_master::System;
use fmu_master::settings::{Algorithm, Parallel, Settings};

use crate::{Outcome, median};

const MEMBERS: usize = 50;
const INPUTS: usize = 40;
const STEP: f64 = 0.01;

pub fn race(member: &Path, rounds: usize, steps: usize) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        times.push((
            seconds(member, Algorithm::Jacobi, steps)?,
            seconds(member, Algorithm::Newton, steps)?,
        ));
    }
    println!(
        "{} {} {}",
        median(&times, |t| t.0),
        median(&times, |t| t.1),
        median(&times, |t| t.1 / t.0)
    );
    Ok(())
}

/// Seconds of a step.
fn seconds(member: &Path, algorithm: Algorithm, steps: usize) -> Outcome<f64> {
    let mut system = System::default().settings(
        Settings::default()
            .step(STEP)
            .stop(steps as f64 * STEP)
            .algorithm(algorithm)
            .parallel(Parallel::Never),
    );
    for number in 0..MEMBERS {
        system = system
            .component(&format!("member{number}"), member)
            .set(&format!("member{number}.rate"), 2.0 + 0.02 * number as f64);
    }
    for number in 0..MEMBERS {
        for input in 1..=INPUTS {
            // Each input comes from another member, and each output goes to another one.
            let source = (number + 7 * input) % MEMBERS;
            let source = if source == number {
                (source + 1) % MEMBERS
            } else {
                source
            };
            system = system.connect(
                &format!("member{source}.y[{input}]"),
                &format!("member{number}.u[{input}]"),
            );
        }
    }
    let mut assembled = system.assemble()?;
    assembled.master.initialize(&assembled.start)?;
    let begin = Instant::now();
    assembled.master.run(|_| true)?;
    Ok(begin.elapsed().as_secs_f64() / steps as f64)
}
