//! What a coupled simulation took, for people and for programs.

use std::io::{self, Write};
use std::time::Duration;

use fmu_master::settings::Per;
use fmu_master::statistics::{ComponentStatistics, LoopStatistics, Statistics};
use fmu_master::{End, Master, System};
use serde_json::{Value, json};

use crate::output::{printable, say};

/// How a run ended, in words; `None`: it failed.
pub(super) fn ended(end: Option<&End>) -> String {
    match end {
        Some(End::Reached) => String::new(),
        Some(End::Terminated { component, .. }) => format!(" ({component} ended the simulation)"),
        Some(End::Interrupted) => " (interrupted)".to_owned(),
        None => " (failed)".to_owned(),
    }
}

/// Shows the first `fmi2Warning` of each component.
pub(super) fn first_warnings(statistics: &Statistics) {
    for component in &statistics.components {
        if let Some(first) = &component.first_warning {
            say!(
                "warning: {} returned fmi2Warning: {}",
                printable(&component.name),
                printable(first)
            );
        }
    }
}

/// How a run ended, for programs.
pub(super) fn end_word(end: Option<&End>) -> &'static str {
    match end {
        Some(End::Reached) => "reached",
        Some(End::Terminated { .. }) => "by FMU",
        Some(End::Interrupted) => "interrupted",
        None => "failed",
    }
}

/// Algebraic loops, for programs.
pub(super) fn loops(statistics: &Statistics) -> Value {
    let of = |one: &LoopStatistics| {
        json!({
            "variables": one.variables,
            "solved": one.solved,
            "iterations": one.iterations,
        })
    };
    statistics.loops.iter().map(of).collect()
}

pub(super) struct Report<'a> {
    pub system: &'a System,
    pub master: &'a Master,
    pub notes: &'a [String],
    pub elapsed: Duration,
    /// `Err`: why it failed.
    pub end: Result<&'a End, String>,
}

impl Report<'_> {
    /// Time spent in all FMUs, where it was measured.
    fn in_fmus(&self) -> Duration {
        self.master.statistics().time_in_components()
    }

    pub fn text(&self, mut out: impl Write) -> io::Result<()> {
        let statistics = self.master.statistics();
        let settings = &self.system.settings;
        let end = ended(self.end.as_ref().ok().copied());
        write!(
            out,
            "{} to t = {}{end}, {}: {}",
            self.system.name,
            self.master.time(),
            settings.algorithm.as_str(),
            many(statistics.steps, "step")
        )?;
        if statistics.steps > 0 {
            match statistics.largest_step - statistics.smallest_step <= 1e-6 * statistics.largest_step {
                true => write!(out, " of {}", short(statistics.largest_step))?,
                false => write!(
                    out,
                    " of {} to {}",
                    short(statistics.smallest_step),
                    short(statistics.largest_step)
                )?,
            }
        }
        for (count, what) in [
            (statistics.rejected, "rejected for their error"),
            (statistics.discarded, "discarded by an FMU"),
            (
                statistics.at_minimum,
                "accepted at the minimum (a value jumps, or only roundings are left)",
            ),
        ] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        if statistics.restarts > 0 {
            write!(out, ", started again {}", many(statistics.restarts, "time"))?;
        }
        if statistics.iterations > 0 {
            write!(out, ", {}", many(statistics.iterations, "iteration"))?;
        }
        for (count, what) in [
            (statistics.unconverged, "not converged"),
            (statistics.unstable, "of an unstable coupling"),
        ] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        writeln!(out)?;
        if let Some(error) = statistics.accumulated_error {
            let per_step = settings.control.is_some_and(|control| control.per == Per::Step);
            let tolerance = if per_step {
                "; the tolerance is per step"
            } else {
                ""
            };
            writeln!(
                out,
                "  estimated accumulated error: {error:.2} tolerances (all steps; the system may amplify or damp it{tolerance})"
            )?;
        }
        let width = statistics
            .components
            .iter()
            .map(|component| component.name.chars().count());
        let width = width.max().unwrap_or(0);
        for component in &statistics.components {
            write!(
                out,
                "  {:width$}  {}, {}",
                component.name,
                many(component.steps, "step"),
                many(component.output_evaluations, "evaluation")
            )?;
            if component.warned > 0 {
                write!(out, ", fmi2Warning from {}", many(component.warned, "call"))?;
                if component.first_warning.is_some() {
                    write!(out, " (the first one is above)")?;
                }
            }
            match component.time.is_zero() {
                true => writeln!(out)?,
                false => writeln!(out, ", {}", seconds(component.time))?,
            }
        }
        for one in &statistics.loops {
            writeln!(
                out,
                "  loop {}: solved {}, {}",
                few(&one.variables),
                many(one.solved, "time"),
                many(one.iterations, "iteration")
            )?;
        }
        let inside = self.in_fmus();
        write!(out, "  {} in all", seconds(self.elapsed))?;
        if let Some(rest) = self.elapsed.checked_sub(inside).filter(|_| !inside.is_zero()) {
            write!(
                out,
                ": {} in the FMUs, {} in the master",
                seconds(inside),
                seconds(rest)
            )?;
        } else if !inside.is_zero() {
            // Their times overlap, so the time of the master cannot be separated.
            write!(
                out,
                ", in which the FMUs took {} on several threads",
                seconds(inside)
            )?;
        }
        writeln!(out)
    }

    pub fn json(&self) -> Value {
        let statistics = self.master.statistics();
        let component = |component: &ComponentStatistics| {
            json!({
                "name": component.name,
                "steps": component.steps,
                "evaluations": component.output_evaluations,
                "fmi2Warnings": component.warned,
                "firstWarning": component.first_warning,
                "seconds": component.time.as_secs_f64(),
            })
        };
        let settings = &self.system.settings;
        json!({
            "system": self.system.name,
            "end": end_word(self.end.as_ref().ok().copied()),
            "error": self.end.as_ref().err(),
            "time": self.master.time(),
            "algorithm": settings.algorithm.as_str(),
            "extrapolation": settings.extrapolation,
            "steps": statistics.steps,
            "rejected": statistics.rejected,
            "discarded": statistics.discarded,
            "restarts": statistics.restarts,
            "atMinimum": statistics.at_minimum,
            "accumulatedError": statistics.accumulated_error,
            "smallestStep": (statistics.steps > 0).then_some(statistics.smallest_step),
            "largestStep": (statistics.steps > 0).then_some(statistics.largest_step),
            "iterations": statistics.iterations,
            "unconverged": statistics.unconverged,
            "unstable": statistics.unstable,
            "loops": loops(statistics),
            "warnings": self.master.warnings(),
            "notes": self.notes,
            "fmi2Warnings": statistics.components.iter().map(|component| component.warned).sum::<u64>(),
            "components": statistics.components.iter().map(component).collect::<Vec<_>>(),
            "seconds": {
                "total": self.elapsed.as_secs_f64(),
                "inFmus": self.in_fmus().as_secs_f64(),
                "inMaster": self.elapsed.saturating_sub(self.in_fmus()).as_secs_f64(),
            },
        })
    }
}

pub(super) fn many(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        long if long >= 1.0 => format!("{long:.2} s"),
        short if short >= 1e-3 => format!("{:.1} ms", 1e3 * short),
        tiny => format!("{:.0} us", 1e6 * tiny),
    }
}

/// Names of variables, no more than fit in a line.
fn few(names: &[String]) -> String {
    const FEW: usize = 6;
    match names.len() > FEW {
        true => format!("{} -> ... ({} variables)", names[..FEW].join(" -> "), names.len()),
        false => names.join(" -> "),
    }
}

/// A step size in as many digits as a person wants to read.
fn short(step: f64) -> String {
    match (1e-3..1e4).contains(&step) {
        true => format!("{}", (step * 1e6).round() / 1e6),
        false => format!("{step:.2e}"),
    }
}
