//! The shape of the race car of Andersson 2016: five FMUs, 172 connections, on one core and on two.

use std::time::Instant;

use fmu_master::settings::Parallel;
use fmu_master::statistics::{ComponentStatistics, Statistics};

use crate::bench::{Bench, Result};
use crate::table::Table;

/// How much faster two cores have to be: the published 34 % less time are 1.5 times.
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
    let share = |name: &str| {
        let times = components.iter().filter(|one| one.name.starts_with(name));
        times.map(|one| one.time.as_secs_f64()).sum::<f64>() / serial
    };
    let of_all = |one: &ComponentStatistics| one.time.as_secs_f64() / all;
    let heaviest = components.iter().map(of_all).fold(0.0, f64::max);
    let source = "000 table 9.7";
    let what = "the heaviest FMU takes of the time of all";
    let (published, ours) = ("33 % (0.31/0.95)", format!("{:.0} %", 100.0 * heaviest));
    // Short runs on a busy machine say nothing about times.
    match bench.smoke {
        true => table.figure(source, what, published, ours),
        false => table.row(source, what, published, ours, "<= 50 %", heaviest <= 0.5),
    }
    for (what, published, ours) in [
        ("the chassis takes of the time", "31 %", share("chassis")),
        ("each wheel takes of the time", "16 %", share("wheel") / 4.0),
        ("the master takes of the time", "5 %", 1.0 - all / serial),
    ] {
        table.figure(source, what, published, format!("{:.0} %", 100.0 * ours));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (source, faster) = ("000 section 9.3.4", serial / parallel);
    let what = format!("two cores save of the time ({cores} cores: {serial:.3} s, {parallel:.3} s)");
    let (published, ours) = ("34 %", format!("{:.0} %", 100.0 * (1.0 - 1.0 / faster)));
    // A busy machine, or one with a single core, says nothing about this.
    if bench.smoke || cores < 2 {
        table.figure(source, what, published, ours);
    } else {
        let limit = format!(">= {:.0} % ({LEAST} times)", 100.0 * (1.0 - 1.0 / LEAST));
        table.row(source, what, published, ours, limit, faster >= LEAST);
    }
    Ok(())
}
