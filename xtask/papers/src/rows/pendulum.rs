//! Andersson 2016, section 6.2: the double pendulum, with and without linear correction.

use importer::plot::{Panel, Plot, Series};
use master::settings::{Correction, Settings};

use crate::bench::{Bench, Result};
use crate::reference::{integrate, order};
use crate::table::Table;

const ANGLES: [&str; 2] = ["upper.alpha", "lower.alpha"];
const G: f64 = 9.81;

/// Equations 6.56 to 6.59 with the coupling solved for the tension of the lower rod; l1 = l2 = m1 = 1, m2 = 1.5, d1 = 0.5.
/// As printed, the damper of the upper pendulum is no part of its accelerations.
fn equations(_t: f64, x: &[f64], dx: &mut [f64]) {
    let [a1, w1, a2, w2] = [x[0], x[1], x[2], x[3]];
    let (m2, d1) = (1.5, 0.5);
    let (s, c) = ((a2 - a1).sin(), (a2 - a1).cos());
    let tension = m2 * (w2 * w2 + G * a2.cos() + w1 * w1 * c + s * G * a1.sin()) / (1.0 + m2 * s * s);
    let pull = tension * s - G * a1.sin();
    let (ax, ay) = (
        a1.cos() * pull - w1 * w1 * a1.sin(),
        a1.sin() * pull + w1 * w1 * a1.cos(),
    );
    dx[0] = w1;
    dx[1] = pull - d1 * w1;
    dx[2] = w2;
    dx[3] = -G * a2.sin() - ax * a2.cos() - ay * a2.sin();
}

fn reference(times: &[f64]) -> Vec<Vec<f64>> {
    let states = integrate(times, &[-1.0, 0.0, 0.3, 0.0], 1e-4, equations);
    states.iter().map(|x| vec![x[0], x[2]]).collect()
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "The outputs of the upper pendulum are those of equation 6.57 as printed, which leave out its damper; the reference \
         is the consistent solution of just these equations.",
    );
    let mut panel = Panel::new(Some("rad"));
    for (example, extrapolation) in [("000 example 6.2.1", 0), ("000 example 6.2.2", 1)] {
        let set = |correction, step, stop, insist| {
            move |settings: &mut Settings| {
                (settings.extrapolation, settings.correction) = (extrapolation, correction);
                (settings.step, settings.stop, settings.insist) = (step, stop, insist);
            }
        };
        let run = bench.couple("double-pendulum", set(Correction::None, 0.01, 10.0, true))?;
        let off = run.deviation(&ANGLES, &reference(run.times()))?;
        let unstable = run.error.is_some() || off > 0.5;
        let ended = run.times().last().copied().unwrap_or(0.0);
        table.row(
            example,
            format!("order {extrapolation}, H = 0.01, no correction, insisting"),
            "unstable",
            match run.error {
                Some(_) => format!("runs away by t = {ended:.2}"),
                None => format!("off by {:.0} %", 100.0 * off),
            },
            "unstable",
            unstable,
        );
        let run = bench.couple("double-pendulum", set(Correction::None, 0.01, 10.0, false))?;
        let sentence = run.sentence().unwrap_or_default();
        table.row(
            example,
            format!("order {extrapolation}, H = 0.01, no correction"),
            "unstable",
            if sentence.is_empty() { "runs" } else { "refused" },
            "refused, names the loop",
            sentence.contains("upper.y") && sentence.contains("lower.y"),
        );
        table.sentence(&format!("{example} without correction"), &sentence);

        let run = bench.couple("double-pendulum", set(Correction::Linear, 0.01, 10.0, false))?;
        let run = run.whole()?;
        let off = run.deviation(&ANGLES, &reference(run.times()))?;
        table.row(
            example,
            format!("order {extrapolation}, H = 0.01, linear correction, to t = 10"),
            "stable",
            format!("off by {:.1} %", 100.0 * off),
            "<= 50 %",
            off <= 0.5,
        );
        panel = panel.with(Series::new(
            &format!("upper, order {extrapolation}"),
            run.points("upper.alpha")?,
        ));
        panel = panel.with(Series::new(
            &format!("lower, order {extrapolation}"),
            run.points("lower.alpha")?,
        ));

        let steps = [0.02, 0.01, 0.005, 0.0025];
        let mut errors = Vec::new();
        for step in steps {
            let run = bench.couple("double-pendulum", set(Correction::Linear, step, 2.0, false))?;
            let run = run.whole()?;
            errors.push(run.deviation(&ANGLES, &reference(run.times()))?);
        }
        let (found, promised) = (order(&steps, &errors), f64::from(extrapolation + 1));
        table.row(
            example,
            format!("order {extrapolation}, linear correction: convergence as H -> 0"),
            "falls",
            format!("{found:.2} ({:.1e})", errors[errors.len() - 1]),
            format!(">= {promised}"),
            found >= promised - 0.15,
        );
    }
    let plot = Plot::new("Double pendulum with linear correction, H = 0.01").with(panel);
    table.drawing(
        "double-pendulum.svg",
        "Angles of both pendulums, as figures 6.8 and 6.10 (right).",
        &plot,
    );
    Ok(())
}
