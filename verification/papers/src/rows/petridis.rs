//! Petridis and Clauss, table 1, the rows whose equations are printed: 5, 7, 10 and 23.

use std::f64::consts::PI;

use fmu_master::settings::{Algorithm, Settings};
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result, Run};
use crate::letters::Letter::{self, D, E, W, Y};
use crate::reference::{integrate, solve3};
use crate::table::Table;

/// The algorithms of the paper. One sweep holds its inputs; those that iterate know both ends of the step, and inputs are
/// lines between them.
pub const ALGORITHMS: [(&str, Algorithm, u32); 3] = [
    ("GS1", Algorithm::GaussSeidel, 0),
    ("GSM", Algorithm::IteratedGaussSeidel, 1),
    ("NRM", Algorithm::Newton, 1),
];

/// A row of the table: a system, what is compared, its reference, and the published letters.
pub struct Example {
    pub row: u32,
    pub variables: &'static [&'static str],
    pub reference: fn(&[f64]) -> Vec<Vec<f64>>,
    pub letters: [Letter; 3],
    /// Communication step.
    pub step: f64,
}

const EXAMPLES: [Example; 4] = [
    Example {
        row: 5,
        variables: &["sum.y", "row1.x", "row2.x", "row3.x"],
        reference: row5,
        letters: [W, W, Y],
        step: 0.1,
    },
    Example {
        row: 7,
        variables: &["x2.y"],
        reference: row7,
        letters: [D, Y, Y],
        step: 0.1,
    },
    Example {
        row: 10,
        variables: &["node.vi"],
        reference: row10,
        letters: [W, E, Y],
        step: 0.1,
    },
    // The section, 5.4; the letters of the table itself (d, d, Y) contradict it.
    Example {
        row: 23,
        variables: &["capacitor.x"],
        reference: row23,
        letters: [W, E, D],
        step: 0.1,
    },
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "Letters: **Y** the variables compared are at every communication point within 1 % of the range of the \
         reference, **d** within half of it, **w** farther away, **e** the simulation ends with an error. GS1 is \
         `gauss-seidel` with held inputs, GSM `iterated-gauss-seidel` and NRM `newton`, with inputs that are lines over the \
         step; steps of 0.1 s. A published Y must be Y, and a published e must end in an error. Where d was published, Y or d \
         passes, and for GS1 and GSM a refusal that names the loop. Where w was published, a better letter passes, and w only if the \
         master warned that steps are not accurate or not stable, or of a variable compared; where our master refuses what the \
         paper let go wrong, w is reproduced with `insist`, and the refusal stands beside it.",
    );
    for example in &EXAMPLES {
        all(bench, table, example)?;
    }
    let fine = Example {
        step: 0.001,
        ..EXAMPLES[3]
    };
    one(bench, table, &fine, ALGORITHMS[2], Y)?;
    radius(table);
    drawing(bench, table)
}

/// A row with each of the three algorithms.
pub fn all(bench: &Bench, table: &mut Table, example: &Example) -> Result<()> {
    for (algorithm, published) in ALGORITHMS.into_iter().zip(example.letters) {
        one(bench, table, example, algorithm, published)?;
    }
    Ok(())
}

fn one(
    bench: &Bench,
    table: &mut Table,
    example: &Example,
    (name, algorithm, order): (&str, Algorithm, u32),
    published: Letter,
) -> Result<()> {
    let system = format!("petridis-{:02}", example.row);
    let step = example.step;
    let set = |insist| {
        move |settings: &mut Settings| {
            (settings.algorithm, settings.extrapolation) = (algorithm, order);
            (settings.step, settings.insist) = (step, insist);
        }
    };
    let judge = |run: &Run| Letter::of(run, example.variables, &(example.reference)(run.times()));
    let source = format!("002 row {}", example.row);
    let mut what = format!("{name}, step {step}");
    // What ends before the first step has an error as well.
    let plain = bench.couple(&system, set(false));
    let sentence = match &plain {
        Ok(run) => run.sentence(),
        Err(error) => Some(error.to_string()),
    };
    let (ours, passed) = match sentence {
        None => {
            let run = plain?;
            let (letter, deviation) = judge(&run)?;
            what += &format!(": off by {:.2} %", 100.0 * deviation);
            let said = warning(&run, example.variables);
            let passed = match published {
                Y => letter == Y,
                E => false,
                D => letter <= D,
                W => letter <= D || letter == W && said.is_some(),
            };
            let ours = match said {
                Some(said) => {
                    table.sentence(&format!("{source}, {name}, warning"), said);
                    format!("{}, warned", letter.as_str())
                }
                None => letter.as_str().to_owned(),
            };
            (ours, passed)
        }
        Some(sentence) => {
            table.sentence(&format!("{source}, {name}"), &sentence);
            let components = &bench.system(&system)?.components;
            let names_one = components.iter().any(|component| {
                sentence.contains(&format!("{}.", component.name)) || sentence.starts_with(&component.name)
            });
            match published {
                Y => ("refused".to_owned(), false),
                E => (Letter::E.as_str().to_owned(), names_one),
                D => ("refused".to_owned(), names_one && algorithm != Algorithm::Newton),
                W => {
                    let (insisting, _) = judge(&bench.couple(&system, set(true))?)?;
                    let ours = format!("refused; insisting: {}", insisting.as_str());
                    (ours, names_one && insisting == W)
                }
            }
        }
    };
    let limit = match published {
        Y => "Y",
        E => "an error that names a component",
        D => "Y, d, or a refusal of GS1, GSM",
        W => "Y, d, w with a warning, or refused and w insisting",
    };
    table.row(&source, what, published.as_str(), ours, limit, passed);
    Ok(())
}

/// What the master said of a run that goes wrong: that its accuracy or stability is bad, or that of a variable compared.
fn warning<'a>(run: &'a Run, variables: &[&str]) -> Option<&'a str> {
    let of_this = |warning: &&String| {
        ["not accurate", "unstable", "may be wrong"]
            .iter()
            .any(|word| warning.contains(word))
            || variables.iter().any(|variable| warning.contains(variable))
    };
    run.warnings.iter().find(of_this).map(String::as_str)
}

/// x from table 4, and its sum.
fn row5(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| {
        let matrix = [[3.0, 0.1 + t, 0.2], [0.1, 3.0, 0.1 + t], [0.1 + t, 0.2, 4.0]];
        let x = solve3(matrix, [1.0, t, 1.0]);
        vec![x.iter().sum(), x[0], x[1], x[2]]
    };
    times.iter().map(at).collect()
}

/// e^-t, from table 2.
pub fn row7(times: &[f64]) -> Vec<Vec<f64>> {
    times.iter().map(|t| vec![(-t).exp()]).collect()
}

/// vi, ii1 and ii2 of table 3 from the voltages of the capacitors.
pub fn node(t: f64, x: &[f64]) -> (f64, f64, f64) {
    let swing = 1000.0 * (0.2 * PI * t).sin();
    let (g1, g2, g3) = (1.0 / (swing + 1001.0), 1.0 / (1001.0 - swing), 1e-4);
    // ii1 + ii2 = 0.0001 (x3 - vi), solved for vi.
    let vi = (g1 * x[0] + g2 * x[1] + g3 * x[2]) / (g1 + g2 + g3);
    (vi, g1 * (vi - x[0]), g2 * (vi - x[1]))
}

/// vi, from table 3 as one system of differential equations.
pub fn row10(times: &[f64]) -> Vec<Vec<f64>> {
    let states = integrate(times, &[0.0; 3], 1e-4, |t, x, dx| {
        let (_, ii1, ii2) = node(t, x);
        dx[0] = 2.0 * (ii1 + (3.0 * PI * t).sin() - x[0]);
        dx[1] = 2.0 * (ii2 + (2.0 * PI * t).sin() - x[1]);
        dx[2] = -100.0 * (ii1 + ii2);
    });
    let with_time = times.iter().zip(states);
    with_time.map(|(&t, x)| vec![node(t, &x).0]).collect()
}

/// x of the circuit without a cut, x' = u - x: closed form, piece by piece.
pub fn row23(times: &[f64]) -> Vec<Vec<f64>> {
    let decay = |from: f64, to: f64, t: f64| to + (from - to) * (-t).exp();
    let (at2, at4) = (decay(2.0, 0.0, 2.0), decay(decay(2.0, 0.0, 2.0), 4.0, 2.0));
    let at = |&t: &f64| match t {
        t if t < 2.0 => vec![decay(2.0, 0.0, t)],
        t if t < 4.0 => vec![decay(at2, 4.0, t - 2.0)],
        t => vec![decay(at4, 2.0, t - 4.0)],
    };
    times.iter().map(at).collect()
}

/// Where the Gauss-Seidel iteration of table 4 stops to contract: the two nonzero eigenvalues of its matrix.
fn radius(table: &mut Table) {
    let radius = |t: f64| {
        let (a, b, c, d, e, f) = (
            (0.1 + t) / 3.0,
            0.2 / 3.0,
            0.1 / 3.0,
            (0.1 + t) / 3.0,
            (0.1 + t) / 4.0,
            0.05,
        );
        // One sweep, (x2, x3) to (x2, x3): x1 = -a x2 - b x3, x2 = -c x1 - d x3, x3 = -e x1 - f x2.
        let x1 = [-a, -b];
        let x2 = [-c * x1[0], -c * x1[1] - d];
        let x3 = [-e * x1[0] - f * x2[0], -e * x1[1] - f * x2[1]];
        let (trace, determinant) = (x2[0] + x3[1], x2[0] * x3[1] - x2[1] * x3[0]);
        let inside = 0.25 * trace * trace - determinant;
        match inside >= 0.0 {
            true => (0.5 * trace).abs() + inside.sqrt(),
            false => determinant.sqrt(),
        }
    };
    let crossing = (0..10_000)
        .map(|k| 1e-3 * f64::from(k))
        .find(|&t| radius(t) > 1.0)
        .unwrap_or(f64::NAN);
    table.row(
        "002 row 5",
        "the radius of one Gauss-Seidel sweep passes 1 at t =",
        "about 3.2",
        format!("{crossing:.2}"),
        "3.1 to 3.3",
        (3.1..=3.3).contains(&crossing),
    );
}

fn drawing(bench: &Bench, table: &mut Table) -> Result<()> {
    let mut panel = Panel::new(Some("V"));
    for step in [0.1, 0.001] {
        let run = bench.couple("petridis-23", |settings| settings.step = step)?;
        panel = panel.with(Series::new(
            &format!("newton, step {step}"),
            run.points("capacitor.x")?,
        ));
    }
    let times: Vec<f64> = (0..=600).map(|k| 0.01 * f64::from(k)).collect();
    let exact = times
        .iter()
        .copied()
        .zip(row23(&times).iter().map(|row| row[0]))
        .collect();
    let panel = panel.with(Series::new("reference", exact));
    let plot = Plot::new("Row 23: x of the resistor-capacitor circuit").with(panel);
    table.drawing(
        "petridis-23.svg",
        "Row 23, as figures 12 and 13 of the paper.",
        &plot,
    );
    Ok(())
}
