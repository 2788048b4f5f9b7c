//! `fmu couple` with one solver over all FMUs.

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use fmu_master::settings::{Advance, Solver};
use fmu_master::statistics::{ComponentStatistics, Statistics};
use fmu_master::system::AssembleOptions;
use fmu_master::{End, System};
use serde_json::{Value, json};

use super::report::{end_word, ended, first_warnings, loops, many};
use super::{CoupleArguments, is_read_no_more, with_advice};
use crate::cli::Exit;
use crate::output::{printable, say, write_file};
use crate::steps::StepTable;

impl CoupleArguments {
    pub(super) fn aggregate(&self, system: &System, options: &AssembleOptions) -> Result<(), Box<dyn Error>> {
        let mut assembled = system.aggregate_with(options).map_err(with_advice)?;
        let idle = self.overrides.idle(system, assembled.aggregate.coupling(), true);
        for note in system.notes() {
            say!("note: {}", printable(&note));
        }
        for warning in assembled.warnings.iter().chain(&idle) {
            say!("warning: {}", printable(warning));
        }
        if let Some(path) = &self.graph {
            write_file(path, assembled.diagram.to_svg().as_bytes())?;
        }
        let begin = Instant::now();
        let ran = self.stream(system, |sink, steps, go_on| match steps {
            Some(steps) => {
                let mut table = StepTable::begin(
                    steps,
                    !matches!(system.settings.solver, Solver::Euler | Solver::Rk4),
                )?;
                let ran = assembled.run_traced(sink, &mut |step| table.add(step), go_on);
                let (_, written) = table.end();
                let end = ran?;
                written?;
                Ok(end)
            }
            None => assembled.run(sink, go_on),
        });
        let elapsed = begin.elapsed();
        if ran.as_ref().is_err_and(|error| is_read_no_more(&**error)) {
            return ran.map(drop);
        }
        let statistics = assembled.aggregate.statistics();
        if let Some(path) = &self.stats {
            let end = ran.as_ref().map_err(ToString::to_string);
            let report = json(system, statistics, end, elapsed);
            write_file(path, format!("{report:#}\n").as_bytes())?;
        }
        let end = ran?;
        for warning in &statistics.summary.warnings {
            say!("warning: {}", printable(warning));
        }
        first_warnings(statistics);
        let mut said = Vec::new();
        text(system, statistics, &end, elapsed, &mut said)?;
        say!("{}", printable(String::from_utf8_lossy(&said).trim_end()));
        if end == End::Interrupted {
            let time = statistics.summary.time;
            say!("interrupted at time {time}; the results up to there are written");
            return Err(Exit(130).into());
        }
        Ok(())
    }
}

fn text(
    system: &System,
    statistics: &Statistics,
    end: &End,
    elapsed: Duration,
    mut out: impl Write,
) -> io::Result<()> {
    let summary = &statistics.summary;
    let end = ended(Some(end));
    writeln!(
        out,
        "{} to t = {}{end}, aggregate with {}: {} steps, {} rejected, {} evaluations, {} Jacobians, {} events",
        system.name,
        summary.time,
        system.settings.solver,
        statistics.steps,
        statistics.rejected,
        summary.evaluations,
        summary.jacobians,
        summary.events.total(),
    )?;
    let names = statistics
        .components
        .iter()
        .map(|component| component.name.chars().count());
    let width = names.max().unwrap_or(0);
    for component in &statistics.components {
        writeln!(
            out,
            "  {:width$}  {} evaluations, {} of outputs, {} for partial derivatives, {} events",
            component.name,
            component.derivative_evaluations,
            component.output_evaluations,
            component.partial_evaluations,
            component.events,
        )?;
    }
    for one in &statistics.loops {
        let variables = one.variables.join(", ");
        writeln!(
            out,
            "  loop of {variables}: solved {}, {}",
            many(one.solved, "time"),
            many(one.iterations, "iteration")
        )?;
    }
    writeln!(
        out,
        "  {:.3} s in all: {:.3} s in the FMUs",
        elapsed.as_secs_f64(),
        summary.in_fmu.as_secs_f64()
    )
}

fn json(system: &System, statistics: &Statistics, end: Result<&End, String>, elapsed: Duration) -> Value {
    let settings = &system.settings;
    let mut report = json!({
        "system": system.name,
        "algorithm": Advance::AGGREGATE,
        "solver": settings.solver.as_str(),
        "end": end_word(end.as_ref().ok().copied()),
        "error": end.as_ref().err(),
        "seconds": { "total": elapsed.as_secs_f64() },
    });
    if end.is_err() {
        return report;
    }
    let summary = &statistics.summary;
    let component = |work: &ComponentStatistics| {
        json!({
            "name": work.name,
            "evaluations": work.derivative_evaluations,
            "outputEvaluations": work.output_evaluations,
            "partialEvaluations": work.partial_evaluations,
            "events": work.events,
            "fmi2Warnings": work.warned,
            "firstWarning": work.first_warning,
        })
    };
    report["time"] = summary.time.into();
    report["warnings"] = summary.warnings.clone().into();
    report["fmi2Warnings"] = summary.warned.into();
    report["steps"] = statistics.steps.into();
    report["rejected"] = statistics.rejected.into();
    report["evaluations"] = summary.evaluations.into();
    report["jacobians"] = summary.jacobians.into();
    report["factorizations"] = summary.solver.factorizations.into();
    report["sparse"] = summary.sparse.into();
    report["events"] = json!({
        "state": summary.events.state,
        "time": summary.events.time,
        "step": summary.events.step,
        "input": summary.events.input,
        "iterations": summary.events.iterations,
    });
    report["components"] = statistics.components.iter().map(component).collect();
    report["loops"] = loops(statistics);
    report["seconds"]["inFmus"] = summary.in_fmu.as_secs_f64().into();
    report
}
