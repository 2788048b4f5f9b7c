//! Andersson 2016, section 6.4.1: two masses, three springs, three ways to couple them with linear extrapolation.

use fmu_master::settings::{Correction, Settings};
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result};
use crate::reference::{integrate, order};
use crate::table::Table;

const POSITIONS: [&str; 2] = ["left.x", "right.x"];

/// Equations 6.84 with the parameters of table 7.1.
fn equations(_t: f64, x: &[f64], dx: &mut [f64]) {
    let (k1, k2, k3, c1, c2, c3) = (10.0, 25.0, 50.0, 1.0, 0.1, 2.0);
    dx[0] = x[1];
    dx[1] = -(k1 + k2) * x[0] - (c1 + c2) * x[1] + k2 * x[2] + c2 * x[3];
    dx[2] = x[3];
    dx[3] = -(k3 + k2) * x[2] - (c3 + c2) * x[3] + k2 * x[0] + c2 * x[1];
}

fn reference(times: &[f64]) -> Vec<Vec<f64>> {
    let states = integrate(times, &[1.0, 0.0, 0.0, 0.0], 1e-3, equations);
    states.iter().map(|x| vec![x[0], x[2]]).collect()
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note("No start values are printed; the left mass begins at 1 m, at rest.");
    let mut panel = Panel::new(Some("m"));
    let approaches = [
        ("inconsistent", Correction::None, false),
        ("smoothing", Correction::None, true),
        ("smoothing and linear correction", Correction::Linear, true),
    ];
    for (name, correction, smoothing) in approaches {
        let set = |step, stop| {
            move |settings: &mut Settings| {
                (settings.correction, settings.smoothing) = (correction, smoothing);
                (settings.step, settings.stop) = (step, stop);
            }
        };
        let run = bench.couple("mass-spring-damper", set(0.085, 8.5))?;
        let off = run.deviation(&POSITIONS, &reference(run.times()))?;
        table.row(
            "000 section 6.4.1",
            format!("H = 0.085, {name}: largest deviation to t = 8.5"),
            "",
            match run.sentence() {
                None => format!("{:.1} % of the range", 100.0 * off),
                Some(_) => "runs away, and says so".to_owned(),
            },
            "bounded, or an error",
            off <= 1.0
                || run
                    .sentence()
                    .is_some_and(|sentence| sentence.contains("left.") || sentence.contains("right.")),
        );
        if let Some(sentence) = run.sentence() {
            table.sentence(name, &sentence);
        }
        panel = panel.with(Series::new(name, run.points("left.x")?));

        let steps = [0.02, 0.01, 0.005, 0.0025];
        let mut errors = Vec::new();
        for step in steps {
            let run = bench.couple("mass-spring-damper", set(step, 2.0))?;
            let run = run.whole()?;
            errors.push(run.deviation(&POSITIONS, &reference(run.times()))?);
        }
        let found = order(&steps, &errors);
        table.row(
            "000 figure 6.19",
            format!("{name}: convergence as H -> 0"),
            "converges",
            format!("{found:.2} ({:.1e})", errors[errors.len() - 1]),
            ">= 1.9",
            found >= 1.9,
        );
    }
    let times: Vec<f64> = (0..=850).map(|k| 0.01 * f64::from(k)).collect();
    let exact = times
        .iter()
        .copied()
        .zip(reference(&times).iter().map(|row| row[0]))
        .collect();
    let plot = Plot::new("Mass-spring-damper, H = 0.085").with(panel.with(Series::new("reference", exact)));
    table.drawing(
        "mass-spring-damper.svg",
        "Position of the left mass, as figures 6.17 and 6.18.",
        &plot,
    );
    Ok(())
}
