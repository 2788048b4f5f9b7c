//! Andersson 2016, section 6.3: smooth inputs save steps inside.

use crate::bench::{Bench, Result, Run};
use crate::reference::integrate;
use crate::table::Table;

/// Published steps of both subsystems without and with smoothing (table 6.3), and the most that ours may keep of them.
const PUBLISHED: [(&str, f64, f64); 2] = [("driven", 423.0, 258.0), ("feeding", 291.0, 185.0)];
const MOST: f64 = 0.70;
/// Of the integrators inside; the thesis does not say which.
const TOLERANCE: f64 = 1e-6;

/// Integrators inside, as `solver.method` numbers them.
const CORRECTED: i32 = 4;
const PLAIN: i32 = 5;

fn run(bench: &Bench, method: i32, tolerance: f64, smoothing: bool) -> Result<Run> {
    let mut system = bench.system("smoothing")?.record("*");
    system = system
        .set("driven.solver.method", method)
        .set("feeding.solver.method", method);
    system.settings.smoothing = smoothing;
    system.settings.tolerance = Some(tolerance);
    bench.run(&system)?.whole()
}

/// What an integrator inside has done.
fn count(run: &Run, component: &str, what: &str) -> Result<f64> {
    run.last(&format!("{component}.statistics.{what}"))
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "No start values, no end and no tolerance are printed for example 6.3.1: both states begin at 1, T = 10, and the \
         integrators have a tolerance of 1e-6. The published figures are those of a multistep method that suffers from \
         jumps, so the figure is held with `solver.method` = PlainBdf, which begins anew where an input jumps. Our own default, \
         Bdf, corrects its history at jumps (chapter 7 of the thesis): there is nothing left for smoothing to save, and it \
         takes fewer steps than the plain one with smoothing.",
    );
    let (without, with) = (
        run(bench, PLAIN, TOLERANCE, false)?,
        run(bench, PLAIN, TOLERANCE, true)?,
    );
    for (number, (component, before, after)) in PUBLISHED.into_iter().enumerate() {
        for (what, published) in [("steps", Some(after / before)), ("evaluations", None)] {
            let (plain, smooth) = (count(&without, component, what)?, count(&with, component, what)?);
            let ratio = smooth / plain;
            table.row(
                "000 table 6.3",
                format!(
                    "subsystem {}, plain BDF: {what} with / without smoothing",
                    number + 1
                ),
                published.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
                format!("{ratio:.2} ({smooth:.0}/{plain:.0})"),
                if published.is_some() {
                    format!("<= {MOST}")
                } else {
                    String::new()
                },
                published.is_none() || ratio <= MOST,
            );
        }
    }
    for (what, run) in [("without", &without), ("with", &with)] {
        let off = error(run)?;
        table.row(
            "000 figure 6.14",
            format!("largest error of the states {what} smoothing, H = 0.02"),
            "",
            format!("{off:.1e}"),
            "<= 1 %",
            off <= 0.01,
        );
    }
    corrected(bench, table, &with)?;
    other_tolerances(bench, table)
}

/// The largest error of the states, as a part of their range.
fn error(run: &Run) -> Result<f64> {
    let states = integrate(run.times(), &[1.0, 1.0], 1e-3, |_, x, dx| {
        let u1 = x[1] + x[0].sin();
        dx[0] = -x[0] * u1 * u1;
        dx[1] = x[0] - x[1];
    });
    run.deviation(&["driven.x", "feeding.x"], &states)
}

/// The integrator that corrects its history: without smoothing it must not need more than the plain one with smoothing.
fn corrected(bench: &Bench, table: &mut Table, plain: &Run) -> Result<()> {
    let own = run(bench, CORRECTED, TOLERANCE, false)?;
    let smooth = run(bench, CORRECTED, TOLERANCE, true)?;
    for (number, (component, _, _)) in PUBLISHED.into_iter().enumerate() {
        let [own, smooth, plain] = [
            count(&own, component, "steps")?,
            count(&smooth, component, "steps")?,
            count(plain, component, "steps")?,
        ];
        table.row(
            "000 chapter 7",
            format!(
                "subsystem {}, our BDF: steps without smoothing (with: {smooth:.0})",
                number + 1
            ),
            "",
            format!("{own:.0}"),
            format!("<= {plain:.0}, plain and smooth"),
            own <= plain,
        );
    }
    Ok(())
}

/// How much the figure depends on the tolerance, which is not printed.
fn other_tolerances(bench: &Bench, table: &mut Table) -> Result<()> {
    let mut text = String::from(
        "Steps with smoothing over steps without, for other tolerances of the integrators inside (at least one step is made \
         for each of the 500 communication points, which hides the difference at large tolerances; at small ones accuracy \
         asks for more steps than jumps do):\n\n| tolerance | plain, subsystem 1 | plain, subsystem 2 | ours, subsystem 1 | ours, subsystem 2 |\n|---|---|---|---|---|\n",
    );
    for tolerance in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
        text += &format!("| {tolerance:.0e} |");
        for method in [PLAIN, CORRECTED] {
            let (without, with) = (
                run(bench, method, tolerance, false)?,
                run(bench, method, tolerance, true)?,
            );
            for (component, _, _) in PUBLISHED {
                let ratio = count(&with, component, "steps")? / count(&without, component, "steps")?;
                text += &format!(" {ratio:.2} |");
            }
        }
        text += "\n";
    }
    table.note(text);
    Ok(())
}
