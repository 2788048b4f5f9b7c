//! Components that end a step early, or the whole simulation: FMUs of ours that do both, under all algorithms that step.

use fmu_master::System;
use fmu_master::settings::{Algorithm, Control, Settings};

use crate::bench::{Bench, Result, Run};
use crate::table::Table;

const SOURCE: &str = "endings";
const ALGORITHMS: [Algorithm; 5] = Algorithm::ALL;
/// Of runs with error control, which may be wrong by 30 of them.
const TOLERANCE: f64 = 1e-4;
const CONTROLLED: f64 = 30.0 * TOLERANCE;
/// Of runs whose inputs are exact: only integrators inside of the FMUs leave errors.
const EXACT: f64 = 1e-5;
/// The stair has that many steps, one per second: its end.
const TOP: f64 = 3.0;

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "`Stair` counts seconds and ends the simulation at 3 s. It feeds an integrator; a lag runs beside both. All must end at 3 s: \
         where a step would go beyond it, the others go back by snapshot and step to that time. `Feeding` may take few internal \
         steps in a communication step (`solver.max_internal_steps`) and returns `fmi2Discard` where it needs more: the step is \
         repeated smaller, without starting the run again.",
    );
    for algorithm in ALGORITHMS {
        terminated(bench, table, algorithm)?;
        discarded(bench, table, algorithm)?;
    }
    Ok(())
}

/// A fixed step.
fn fixed(algorithm: Algorithm, step: f64) -> Settings {
    Settings::default().stop(5.0).step(step).algorithm(algorithm)
}

fn controlled(algorithm: Algorithm, stop: f64) -> Settings {
    let control = Control::new(TOLERANCE, stop);
    Settings::default()
        .stop(stop)
        .step(0.35)
        .algorithm(algorithm)
        .extrapolation(1)
        .control(Some(control))
}

/// The largest distance from the solution of the equations, over all recorded points.
fn off(run: &Run, name: &str, solution: impl Fn(f64) -> f64) -> Result<f64> {
    let values = run.times().iter().zip(run.values(name)?);
    Ok(values
        .map(|(&t, value)| (value - solution(t)).abs())
        .fold(0.0, |worst: f64, off| {
            if off.is_nan() {
                f64::INFINITY
            } else {
                worst.max(off)
            }
        }))
}

/// The integral of the seconds that are over: 0 up to 1 s, t - 1 up to 2 s, 2 t - 3 from there on.
fn climbed(t: f64) -> f64 {
    (1..TOP as i32)
        .map(|second| (t - f64::from(second)).max(0.0))
        .sum()
}

fn terminated(bench: &Bench, table: &mut Table, algorithm: Algorithm) -> Result<()> {
    let system = System::new("stair")
        .component("stair", "Stair.fmu")
        .component("sum", "Integrator.fmu")
        .component("lag", "FirstOrder.fmu")
        .set("stair.steps", TOP as i32)
        .set("sum.y", 0.0)
        .connect("stair.count", "sum.u");
    // Seconds are communication points; they are not, and the end is inside of a step; error control finds them.
    let ways = [
        ("steps of 0.1", fixed(algorithm, 0.1), Some(EXACT)),
        ("steps of 0.35", fixed(algorithm, 0.35), None),
        ("tolerance 1e-4", controlled(algorithm, 5.0), Some(CONTROLLED)),
    ];
    for (way, settings, most) in ways {
        let run = bench.run(&system.clone().settings(settings))?;
        let label = format!("stair, {}, {way}", algorithm.as_str());
        if let Some(sentence) = run.sentence() {
            table.sentence(&label, &sentence);
            table.row(SOURCE, label, "", "an error", "ends at 3 s", false);
            continue;
        }
        for warning in &run.warnings {
            table.sentence(&label, warning);
        }
        let end = run.times().last().copied().unwrap_or(f64::NAN);
        let lag = off(&run, "lag.y", |t| (-t).exp())?;
        let sum = off(&run, "sum.y", climbed)?;
        // Changes of the count between communication points come too late, which has to be said.
        let is_late = |warning: &String| warning.starts_with("stair changes discrete outputs every 1 s");
        let sum_is_right = match most {
            Some(most) => sum <= most,
            None => run.warnings.iter().any(is_late),
        };
        let lag_is_right = lag <= most.unwrap_or(EXACT);
        let limit = match most {
            Some(most) => format!("ends at 3 s, both off by <= {most:.0e}"),
            None => format!("ends at 3 s, lag off by <= {EXACT:.0e}, warns of the sum"),
        };
        table.row(
            SOURCE,
            label,
            "",
            format!("ends at {end}, lag off by {lag:.0e}, sum {sum:.0e}"),
            limit,
            (end - TOP).abs() <= 1e-9 && lag_is_right && sum_is_right,
        );
    }
    Ok(())
}

fn discarded(bench: &Bench, table: &mut Table, algorithm: Algorithm) -> Result<()> {
    const MOST_INSIDE: i32 = 5;
    const STOP: f64 = 2.0;
    let system = System::new("discards")
        .component("source", "FirstOrder.fmu")
        .component("feeding", "Feeding.fmu")
        .set("feeding.solver.max_internal_steps", MOST_INSIDE)
        .connect("source.y", "feeding.u");
    // A source that stays at 2, so that inputs are exact: x' = 2 - x. And one that decays: x' = e^-t - x.
    let constant = system.clone().set("source.a", 0.0).set("source.x", 2.0);
    let constant = constant.settings(fixed(algorithm, 0.5).stop(STOP).tolerance(Some(1e-6)));
    let decaying = system.settings(controlled(algorithm, STOP));
    type Solution = fn(f64) -> f64;
    let ways: [(&str, System, Solution, f64); 2] = [
        ("steps of 0.5", constant, |t| 2.0 - (-t).exp(), EXACT),
        ("tolerance 1e-4", decaying, |t| (1.0 + t) * (-t).exp(), CONTROLLED),
    ];
    for (way, system, solution, most) in ways {
        let run = bench.run(&system)?;
        let label = format!("discarded steps, {}, {way}", algorithm.as_str());
        let limit = format!("discarded > 0, restarts 0, off by <= {most:.0e}");
        if let Some(sentence) = run.sentence() {
            table.sentence(&label, &sentence);
            table.row(SOURCE, label, "", "an error", limit, false);
            continue;
        }
        let end = run.times().last().copied().unwrap_or(f64::NAN);
        let off = off(&run, "feeding.x", solution)?;
        let (discarded, restarts) = (run.statistics.discarded, run.statistics.restarts);
        table.row(
            SOURCE,
            label,
            "",
            format!("discarded {discarded}, restarts {restarts}, off by {off:.0e}"),
            limit,
            discarded > 0 && restarts == 0 && end == STOP && off <= most,
        );
    }
    Ok(())
}
