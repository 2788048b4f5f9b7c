//! `fmu couple`: simulates a system of FMUs.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use master::{Master, System};

/// Arguments of `couple`.
#[derive(Debug, Args)]
pub struct CoupleArguments {
    /// The system: a TOML file that names FMUs, connections and the algorithm.
    #[arg(value_name = "SYSTEM")]
    pub system: PathBuf,
    /// Stop time, in place of the file's.
    #[arg(long, value_name = "T")]
    pub stop: Option<f64>,
    /// Communication step, in place of the file's.
    #[arg(long, value_name = "H")]
    pub step: Option<f64>,
    /// Goes on although the coupling is known to be unstable.
    #[arg(long)]
    pub insist: bool,
    /// Writes all coupled outputs at all communication points.
    #[arg(long, value_name = "CSV")]
    pub output: Option<PathBuf>,
    /// Writes what was done, in numbers.
    #[arg(long, value_name = "JSON")]
    pub stats: Option<PathBuf>,
}

impl CoupleArguments {
    /// Reads, assembles, initializes, runs.
    pub fn run(self) -> Result<(), Box<dyn Error>> {
        let mut system = System::open(&self.system)?;
        if let Some(stop) = self.stop {
            system.settings.stop = stop;
        }
        if let Some(step) = self.step {
            system.settings.step = step;
        }
        system.settings.insist |= self.insist;
        let mut assembled = system.assemble()?;
        let (master, recorded) = (&mut assembled.master, &assembled.recorded);
        let begin = Instant::now();
        master.initialize(&assembled.start)?;
        for warning in master.warnings() {
            eprintln!("warning: {warning}");
        }
        let mut output = match &self.output {
            Some(path) => Some(BufWriter::new(create(path)?)),
            None => None,
        };
        let mut written = Ok(());
        if let Some(file) = &mut output {
            let names: Vec<&str> = recorded
                .iter()
                .map(|&output| master.coupling().outputs[output].name.as_str())
                .collect();
            writeln!(file, "time,{}", names.join(","))?;
        }
        let ran = master.run(|point| {
            if let Some(file) = &mut output {
                written = row(file, point.t, recorded.iter().map(|&output| point.y[output]));
            }
            written.is_ok()
        });
        // What was computed stays, also where it ends with an error.
        if let Some(file) = &mut output {
            file.flush()?;
        }
        written?;
        ran?;
        report(master, begin);
        if let Some(path) = &self.stats {
            serde_json::to_writer_pretty(create(path)?, &json(master))?;
        }
        Ok(())
    }
}

fn create(path: &PathBuf) -> Result<File, Box<dyn Error>> {
    File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

fn row(file: &mut impl Write, t: f64, values: impl Iterator<Item = f64>) -> std::io::Result<()> {
    write!(file, "{t}")?;
    for value in values {
        write!(file, ",{value}")?;
    }
    writeln!(file)
}

fn report(master: &Master, begin: Instant) {
    let statistics = master.statistics();
    println!(
        "to t = {} in {:.3} s: {} steps of {:.3e} to {:.3e}, {} rejected, {} discarded",
        master.time(),
        begin.elapsed().as_secs_f64(),
        statistics.steps,
        statistics.smallest_step,
        statistics.largest_step,
        statistics.rejected,
        statistics.discarded
    );
    if statistics.iterations + statistics.loop_iterations() > 0 {
        println!(
            "{} iterations over steps, {} of algebraic loops",
            statistics.iterations, statistics.loop_iterations()
        );
    }
    for component in &statistics.components {
        println!(
            "{:>20}: {} steps, {} evaluations",
            component.name, component.steps, component.evaluations
        );
    }
}

fn json(master: &Master) -> serde_json::Value {
    let statistics = master.statistics();
    let components: Vec<serde_json::Value> = statistics
        .components
        .iter()
        .map(|component| {
            serde_json::json!({
                "name": component.name,
                "steps": component.steps,
                "evaluations": component.evaluations,
            })
        })
        .collect();
    serde_json::json!({
        "time": master.time(),
        "steps": statistics.steps,
        "rejected": statistics.rejected,
        "discarded": statistics.discarded,
        "smallestStep": statistics.smallest_step,
        "largestStep": statistics.largest_step,
        "iterations": statistics.iterations,
        "loopIterations": statistics.loop_iterations(),
        "warnings": master.warnings(),
        "components": components,
    })
}
