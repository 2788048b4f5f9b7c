//! Andersson 2016, section 6.3: smooth inputs save steps inside.

use crate::bench::{Bench, Result, Run};
use crate::reference::integrate;
use crate::table::Table;

/// A subsystem, and what was published of it: steps and evaluations without smoothing, with smoothing at the same H = 0.02
/// (table 6.3), and with smoothing at H = 0.0145, which has the same error (table 6.4).
struct Published {
    component: &'static str,
    without: [f64; 2],
    with: [f64; 2],
    as_exact: [f64; 2],
}

const PUBLISHED: [Published; 2] = [
    Published {
        component: "driven",
        without: [423.0, 677.0],
        with: [258.0, 350.0],
        as_exact: [279.0, 376.0],
    },
    Published {
        component: "feeding",
        without: [291.0, 494.0],
        with: [185.0, 262.0],
        as_exact: [191.0, 259.0],
    },
];
/// The most that ours may keep of steps and evaluations; or 10 % more than what was published, if that is more.
const MOST: f64 = 0.70;
const COUNTED: [&str; 2] = ["steps", "evaluations"];
/// Of the integrators inside; the thesis does not say which.
const TOLERANCE: f64 = 1e-6;

/// Integrators inside, as `solver.method` numbers them.
const CORRECTED: i32 = 4;
const PLAIN: i32 = 5;

fn run(bench: &Bench, method: i32, tolerance: f64, smoothing: bool) -> Result<Run> {
    run_with(bench, method, tolerance, smoothing, 0.02)
}

fn run_with(bench: &Bench, method: i32, tolerance: f64, smoothing: bool, step: f64) -> Result<Run> {
    let mut system = bench.system("smoothing")?.record("*");
    system = system
        .set("driven.solver.method", method)
        .set("feeding.solver.method", method);
    system.settings.smoothing = smoothing;
    system.settings.step = step;
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
         jumps, so the figure is held with `solver.method` = PlainBdf, which restarts where an input jumps. Our own default, \
         Bdf, corrects its history at jumps (chapter 7 of the thesis): there is nothing left for smoothing to save, and it \
         takes fewer steps than the plain one with smoothing.",
    );
    table.note(
        "The thesis prints counts of its own solver and no limits. Ours are: at most 0.70 of the steps and evaluations or, where the \
         published part is larger than that, 10 % more than the published part (table 6.4); an error at most 20 % larger (figure 6.15).",
    );
    let (without, with) = (
        run(bench, PLAIN, TOLERANCE, false)?,
        run(bench, PLAIN, TOLERANCE, true)?,
    );
    ratios(
        table,
        "000 table 6.3",
        "smoothing",
        (&without, &with),
        |published| published.with,
    )?;
    let finer = run_with(bench, PLAIN, TOLERANCE, true, 0.0145)?;
    let what = "smoothing, H = 0.0145";
    ratios(table, "000 table 6.4", what, (&without, &finer), |published| {
        published.as_exact
    })?;
    let (coarse, fine) = (error(&without)?, error(&finer)?);
    table.row(
        "000 figure 6.15",
        "error with smoothing, H = 0.0145 / without, H = 0.02",
        "1",
        format!("{:.2} ({fine:.1e}/{coarse:.1e})", fine / coarse),
        "<= 1.2",
        fine <= 1.2 * coarse,
    );
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

/// Steps and evaluations with smoothing, as parts of those without.
fn ratios(
    table: &mut Table,
    source: &str,
    smoothing: &str,
    (without, with): (&Run, &Run),
    published: fn(&Published) -> [f64; 2],
) -> Result<()> {
    for (number, subsystem) in PUBLISHED.iter().enumerate() {
        for (at, what) in COUNTED.into_iter().enumerate() {
            let (plain, smooth) = (
                count(without, subsystem.component, what)?,
                count(with, subsystem.component, what)?,
            );
            let (before, after) = (subsystem.without[at], published(subsystem)[at]);
            let ratio = smooth / plain;
            let most = MOST.max(1.1 * after / before);
            table.row(
                source,
                format!(
                    "subsystem {}, plain BDF: {what}, {smoothing} / without",
                    number + 1
                ),
                format!("{:.2} ({after:.0}/{before:.0})", after / before),
                format!("{ratio:.2} ({smooth:.0}/{plain:.0})"),
                format!("<= {most:.2}"),
                ratio <= most,
            );
        }
    }
    Ok(())
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
    for (number, Published { component, .. }) in PUBLISHED.iter().enumerate() {
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
            for Published { component, .. } in &PUBLISHED {
                let ratio = count(&with, component, "steps")? / count(&without, component, "steps")?;
                text += &format!(" {ratio:.2} |");
            }
        }
        text += "\n";
    }
    table.note(text);
    Ok(())
}
