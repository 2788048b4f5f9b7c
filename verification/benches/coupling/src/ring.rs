//! A long ring of FMUs of twenty files, with one loop of five that is closed algebraically.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use fmu_master::System;
use fmu_master::settings::{Correction, Parallel, Settings};

use crate::Outcome;

const STEP: f64 = 0.01;
/// Files of stages, and stages with feed-through in a loop of their own.
const FILES: usize = 20;
const THROUGH: usize = 5;

pub fn run(folder: &Path, fmus: usize, connections: usize, steps: usize) -> Outcome<()> {
    let settings = Settings::default()
        .step(STEP)
        .stop(steps as f64 * STEP)
        .correction(Correction::Consistent)
        .parallel(Parallel::Never);
    let stages = fmus - THROUGH;
    let mut system = System::default().settings(settings);
    for stage in 0..stages {
        let file = folder.join(format!("Stage{:02}.fmu", stage % FILES + 1));
        system = system.component(&format!("stage{stage}"), file);
    }
    for through in 0..THROUGH {
        system = system.component(&format!("through{through}"), folder.join("Through.fmu"));
    }
    for stage in 1..stages {
        for line in 1..=connections {
            system = system.connect(
                &format!("stage{}.y[{line}]", stage - 1),
                &format!("stage{stage}.u[{line}]"),
            );
        }
    }
    // The ring goes on through the five, which have a loop of their own besides, and comes back to the first stage.
    system = system.connect(&format!("stage{}.y[1]", stages - 1), "through0.u[1]");
    for through in 1..THROUGH {
        system = system.connect(
            &format!("through{}.y", through - 1),
            &format!("through{through}.u[1]"),
        );
    }
    system = system
        .connect(&format!("through{}.y", THROUGH - 1), "through0.u[2]")
        .connect(&format!("through{}.y", THROUGH - 1), "stage0.u[1]");
    let mut assembled = system.assemble()?;
    assembled.master.initialize(&assembled.start)?;
    let mut results = BufWriter::new(File::create(folder.join("ring.csv"))?);
    let last = assembled.master.outputs().len() - 1;
    let mut written = Ok(());
    let begin = Instant::now();
    assembled.master.run(|point| {
        written = writeln!(results, "{},{}", point.t, point.y[last]);
        written.is_ok()
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    written?;
    println!("{seconds} {}", peak_memory()?);
    Ok(())
}

/// The most memory that this process has had.
fn peak_memory() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(1024 * kilobytes.ok_or("no VmHWM")?.parse::<u64>()?)
}
