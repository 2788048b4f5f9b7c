//! What a simulation took, for people and for programs.

use std::io::{self, Write};

use fmu_importer::Fmu;
use fmu_importer::simulate::{End, Summary};
use fmu_results::table::number;
use serde_json::json;

use crate::output::count;

pub(super) fn text(mut out: impl Write, fmu: &Fmu, summary: &Summary) -> io::Result<()> {
    let Summary { solver, events, .. } = summary;
    let end = match summary.end {
        End::Reached => "",
        End::ByFmu => " (the FMU ended the simulation)",
        End::Interrupted => " (interrupted)",
    };
    write!(
        out,
        "{} to t = {}{end}: {}",
        fmu.name(),
        number(summary.time),
        count(summary.rows, "row")
    )?;
    if events.total() > 0 {
        let kinds = [
            (events.state, "state"),
            (events.time, "time"),
            (events.step, "step"),
            (events.input, "input"),
        ];
        let kinds: Vec<_> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        write!(out, ", events: {}", kinds.join(", "))?;
        if summary.method.is_some() {
            write!(out, " ({})", count(summary.restarts, "restart"))?;
        }
    }
    writeln!(out)?;
    if let Some(method) = summary.method {
        write!(
            out,
            "  {method}: {}, {} rejected",
            count(solver.steps as usize, "step"),
            solver.error_failures
        )?;
        write!(out, ", {}", count(summary.evaluations, "evaluation"))?;
        if method.is_implicit() {
            let sparse = if summary.sparse { "sparse" } else { "dense" };
            write!(
                out,
                ", {}",
                count(summary.jacobians, &format!("{sparse} Jacobian"))
            )?;
            let exact = fmu
                .description()
                .model_exchange
                .as_ref()
                .is_some_and(|me| me.interface.provides_directional_derivative);
            match exact {
                true => write!(
                    out,
                    " by {}",
                    count(summary.directional_derivatives, "directional derivative")
                )?,
                false => write!(out, " of {} each", count(summary.jacobian_groups, "evaluation"))?,
            }
            write!(
                out,
                ", {}",
                count(solver.factorizations as usize, "factorization")
            )?;
        }
    } else {
        write!(
            out,
            "  {}",
            count(summary.communication_steps, "communication step")
        )?;
        if summary.discarded > 0 {
            write!(out, ", {} discarded", summary.discarded)?;
        }
    }
    if summary.warned > 0 {
        let calls = count(usize::try_from(summary.warned).unwrap_or(usize::MAX), "call");
        write!(out, ", fmi2Warning from {calls}")?;
        if summary.first_warning.is_some() {
            write!(out, " (the first one is above; --log shows what the FMU says)")?;
        }
    }
    writeln!(out)?;
    let outside = summary.total.saturating_sub(summary.in_fmu + summary.setup);
    writeln!(
        out,
        "  {:.3} s to set up, {:.3} s in the FMU, {:.3} s outside",
        summary.setup.as_secs_f64(),
        summary.in_fmu.as_secs_f64(),
        outside.as_secs_f64()
    )
}

pub(super) fn json(mut out: impl Write, fmu: &Fmu, summary: &Summary) -> io::Result<()> {
    let Summary { solver, events, .. } = summary;
    let end = match summary.end {
        End::Reached => "reached",
        End::ByFmu => "by FMU",
        End::Interrupted => "interrupted",
    };
    let value = json!({
        "model": fmu.name(),
        "end": end,
        "time": summary.time,
        "rows": summary.rows,
        "solver": summary.method.map(|method| method.name()),
        "steps": solver.steps,
        "rejectedSteps": solver.error_failures,
        "evaluations": summary.evaluations,
        "indicatorEvaluations": summary.indicator_evaluations,
        "jacobians": summary.jacobians,
        "evaluationsPerJacobian": summary.jacobian_groups,
        "sparse": summary.sparse,
        "directionalDerivatives": summary.directional_derivatives,
        "factorizations": solver.factorizations,
        "newtonIterations": solver.newton_iterations,
        "newtonFailures": solver.convergence_failures,
        "communicationSteps": summary.communication_steps,
        "discardedSteps": summary.discarded,
        "events": {
            "state": events.state,
            "time": events.time,
            "step": events.step,
            "input": events.input,
            "iterations": events.iterations,
        },
        "restarts": summary.restarts,
        "warnings": summary.warnings,
        // JSON has no NaN.
        "notFinite": summary.not_finite.as_ref().map(|found| json!({
            "variable": found.variable,
            "time": found.time,
            "value": found.value.to_string(),
        })),
        "fmi2Warnings": summary.warned,
        "firstWarning": summary.first_warning,
        "seconds": {
            "total": summary.total.as_secs_f64(),
            "inFmu": summary.in_fmu.as_secs_f64(),
            "setup": summary.setup.as_secs_f64(),
            "outside": summary.total.saturating_sub(summary.in_fmu + summary.setup).as_secs_f64(),
        },
    });
    writeln!(out, "{value:#}")
}
