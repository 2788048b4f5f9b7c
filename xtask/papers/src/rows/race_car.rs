//! The shape of the race car of Andersson 2016: five FMUs, 172 connections, on one core and on two.

use std::time::Instant;

use master::settings::Parallel;
use master::statistics::Statistics;

use crate::bench::{Bench, Result};
use crate::table::Table;

/// How much faster two cores have to be.
const LEAST: f64 = 1.4;
/// Runs of each kind, in turn; the fastest of each counts, so that others on the machine matter little.
const RUNS: usize = 15;

/// The fastest of some runs.
struct Fastest {
    seconds: f64,
    statistics: Statistics,
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    // The chassis is the heavy one: its steps inside are shorter than those of the wheels.
    let mut system = bench.system("race-car")?;
    for wheel in 1..=4 {
        system = system.set(&format!("wheel{wheel}.solver.max_step"), 3e-6);
    }
    system = system.set("chassis.solver.max_step", 2e-6);
    system.settings.stop = if bench.smoke { 0.05 } else { 0.2 };

    let mut connections = 0;
    let mut fastest = [Parallel::Never, Parallel::Always].map(|parallel| {
        let none = Fastest {
            seconds: f64::INFINITY,
            statistics: Statistics::default(),
        };
        (parallel, none)
    });
    for _ in 0..RUNS {
        for (parallel, fastest) in &mut fastest {
            system.settings.parallel = *parallel;
            let mut assembled = system.assemble_with(&bench.options())?;
            connections = assembled.master.coupling().inputs.len();
            assembled.master.initialize(&assembled.start)?;
            let begin = Instant::now();
            assembled.master.run(|_| true)?;
            let seconds = begin.elapsed().as_secs_f64();
            if seconds < fastest.seconds {
                let statistics = assembled.master.statistics().clone();
                *fastest = Fastest { seconds, statistics };
            }
        }
    }
    let [(_, serial), (_, parallel)] = fastest;
    let components = &serial.statistics.components;
    let all: f64 = components.iter().map(|one| one.time.as_secs_f64()).sum();
    let (serial, parallel) = (serial.seconds, parallel.seconds);
    let source = "000 section 5.3.2";
    table.row(
        source,
        "connections",
        "172",
        connections,
        "172",
        connections == 172,
    );
    let (mut heaviest, mut share) = ("", 0.0);
    for one in components {
        let of_all = one.time.as_secs_f64() / all;
        if of_all > share {
            (heaviest, share) = (one.name.as_str(), of_all);
        }
    }
    table.row(
        source,
        format!("the heaviest FMU ({heaviest}) takes of the time"),
        "",
        format!("{:.0} %", 100.0 * share),
        "<= 50 %",
        share <= 0.5,
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let faster = serial / parallel;
    // A busy machine, or one with a single core, says nothing about this.
    let enforced = !bench.smoke && cores >= 2;
    table.row(
        source,
        format!("parallel against serial on {cores} cores ({serial:.3} s, {parallel:.3} s)"),
        "",
        format!("{faster:.2} times"),
        if enforced {
            format!(">= {LEAST}")
        } else {
            format!("({LEAST}, not enforced here)")
        },
        !enforced || faster >= LEAST,
    );
    Ok(())
}
