//! Andersson 2016, section 6.2: the double pendulum, with and without linear correction.

use fmu_master::settings::{Correction, Settings};
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result};
use crate::reference::{integrate, order};
use crate::table::Table;

const ANGLES: [&str; 2] = ["upper.alpha", "lower.alpha"];
const G: f64 = 9.81;

/// Accelerations of the joint, and forces on it.
const COUPLED: [&str; 4] = ["upper.y1", "upper.y2", "lower.y1", "lower.y2"];

/// Equations 6.57 and 6.59 solved for each other, by the tension of the lower rod; l1 = l2 = m1 = 1, m2 = 1.5. As printed,
/// the damper of the upper pendulum is not a part of its accelerations. Returns them, and the force across the upper rod.
fn coupled(x: &[f64]) -> ([f64; 4], f64) {
    let [a1, w1, a2, w2] = [x[0], x[1], x[2], x[3]];
    let m2 = 1.5;
    let (s, c) = ((a2 - a1).sin(), (a2 - a1).cos());
    let tension = m2 * (w2 * w2 + G * a2.cos() + w1 * w1 * c + s * G * a1.sin()) / (1.0 + m2 * s * s);
    let pull = tension * s - G * a1.sin();
    let y = [
        a1.cos() * pull - w1 * w1 * a1.sin(),
        a1.sin() * pull + w1 * w1 * a1.cos(),
        tension * a2.sin(),
        -tension * a2.cos(),
    ];
    (y, pull)
}

/// Equations 6.56 and 6.58, d1 = 0.5.
pub(super) fn equations(_t: f64, x: &[f64], dx: &mut [f64]) {
    let ([ax, ay, ..], pull) = coupled(x);
    dx[0] = x[1];
    dx[1] = pull - 0.5 * x[1];
    dx[2] = x[3];
    dx[3] = -G * x[2].sin() - ax * x[2].cos() - ay * x[2].sin();
}

/// Both angles at some times, and what is coupled.
fn reference(times: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let states = integrate(times, &[-1.0, 0.0, 0.3, 0.0], 1e-4, equations);
    let angles = states.iter().map(|x| vec![x[0], x[2]]).collect();
    (angles, states.iter().map(|x| coupled(x).0.to_vec()).collect())
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
        // The coupling is unstable while the rods are at a large angle; the more steps fall into that time, the worse.
        let mut before = 0.0;
        for step in [0.01, 0.001] {
            let run = bench.couple("double-pendulum", set(Correction::None, step, 10.0, true))?;
            let off = run.deviation(&COUPLED, &reference(run.times()).1)?;
            let ended = run.times().last().copied().unwrap_or(0.0);
            table.row(
                example,
                format!("order {extrapolation}, H = {step}, no correction, insisting: forces"),
                "unstable",
                match run.error {
                    Some(_) => format!("run away by t = {ended:.2}"),
                    None => format!("off by {:.0} %", 100.0 * off),
                },
                if step < 0.01 {
                    "worse than with H = 0.01"
                } else {
                    "off by 10 %, or worse"
                },
                run.error.is_some() || (off > 0.1 && off > before),
            );
            before = off;
        }
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
        let off = run.deviation(&ANGLES, &reference(run.times()).0)?;
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
            errors.push(run.deviation(&ANGLES, &reference(run.times()).0)?);
        }
        let (found, promised) = (order(&steps, &errors), f64::from(extrapolation + 1));
        table.row(
            example,
            format!("order {extrapolation}, linear correction: convergence as H -> 0"),
            "falls",
            format!("{found:.2} ({:.1e})", errors[errors.len() - 1]),
            format!(">= {}", promised - 0.1),
            found >= promised - 0.1,
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
