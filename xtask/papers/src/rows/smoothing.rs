//! Andersson 2016, section 6.3: smooth inputs save steps inside.

use crate::bench::{Bench, Result, Run};
use crate::reference::integrate;
use crate::table::Table;

/// Published steps of both subsystems without and with smoothing (table 6.3), and the most that ours may keep of them.
const PUBLISHED: [(&str, f64, f64); 2] = [("driven", 423.0, 258.0), ("feeding", 291.0, 185.0)];
const MOST: f64 = 0.70;

fn run(bench: &Bench, smoothing: bool) -> Result<Run> {
    let mut system = bench.system("smoothing")?.record("*");
    system.settings.smoothing = smoothing;
    bench.run(&system)?.whole()
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note("No start values are printed for example 6.3.1; both states begin at 1, and T = 10.");
    let (without, with) = (run(bench, false)?, run(bench, true)?);
    for (number, (component, before, after)) in PUBLISHED.into_iter().enumerate() {
        let count = |run: &Run, what: &str| run.last(&format!("{component}.statistics.{what}"));
        for (what, published) in [("steps", Some(after / before)), ("evaluations", None)] {
            let (plain, smooth) = (count(&without, what)?, count(&with, what)?);
            let ratio = smooth / plain;
            table.row(
                "000 table 6.3",
                format!("subsystem {}: {what} inside with / without smoothing", number + 1),
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
        let states = integrate(run.times(), &[1.0, 1.0], 1e-3, |_, x, dx| {
            let u1 = x[1] + x[0].sin();
            dx[0] = -x[0] * u1 * u1;
            dx[1] = x[0] - x[1];
        });
        let off = run.deviation(&["driven.x", "feeding.x"], &states)?;
        table.row(
            "000 figure 6.14",
            format!("largest error of the states {what} smoothing, H = 0.02"),
            "",
            format!("{off:.1e}"),
            "<= 1 %",
            off <= 0.01,
        );
    }
    Ok(())
}
