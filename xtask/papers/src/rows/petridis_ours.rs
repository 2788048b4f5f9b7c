//! Petridis and Clauss, table 1, rows whose equations are not printed: systems of ours with the same purpose. No letter is
//! claimed; every algorithm must give the right answer, or an error that names the loop.

use super::petridis::ALGORITHMS;
use crate::bench::{Bench, Result};
use crate::letters::Letter;
use crate::reference::{integrate, solve3};
use crate::table::Table;

/// A system, what the paper wants of it, its equations, what is compared, its reference, and the step.
struct Example {
    row: u32,
    purpose: &'static str,
    equations: &'static str,
    variables: &'static [&'static str],
    reference: fn(&[f64]) -> Vec<Vec<f64>>,
    published: [&'static str; 3],
    /// What a refusal has to name: a variable of the loop.
    on_the_loop: &'static str,
    step: f64,
}

const EXAMPLES: [Example; 6] = [
    Example {
        row: 2,
        purpose: "linear, diagonally dominant",
        equations: "3 x1 + 0.5 x2 + 0.2 x3 = 1, 0.1 x1 + 3 x2 + 0.5 x3 = t, 0.5 x1 + 0.2 x2 + 4 x3 = 1, y = x1 + x2 + x3",
        variables: &["sum.y"],
        reference: row2,
        published: ["d", "Y", "Y"],
        on_the_loop: "row1.x",
        step: 0.1,
    },
    Example {
        row: 4,
        purpose: "linear, not diagonally dominant",
        equations: "x1 + 4 x2 + 0.2 x3 = 1, 0.1 x1 + x2 + 4 x3 = t, 4 x1 + 0.2 x2 + x3 = 1, y = x1 + x2 + x3",
        variables: &["sum.y"],
        reference: row4,
        published: ["w", "w", "Y"],
        on_the_loop: "row1.x",
        step: 0.1,
    },
    Example {
        row: 9,
        purpose: "nonlinear equation",
        equations: "x = exp(-y), y = 1.2 x + 0.1, z = x + y",
        variables: &["sum.y"],
        reference: row9,
        published: ["w", "Y", "Y"],
        on_the_loop: "exponential.y",
        step: 0.1,
    },
    Example {
        row: 16,
        purpose: "Roessler, long interval",
        equations: "x' = -y - z, y' = x + 0.1 y, z' = 0.1 + z (x - 4), from (1, 1, 0.1), to t = 50, steps of 0.01",
        variables: &["x.x", "y.x"],
        reference: row16,
        published: ["w", "d", "d"],
        on_the_loop: "x.x",
        step: 0.01,
    },
    Example {
        row: 19,
        purpose: "linear, not contractive",
        equations: "x = 1 - 2 y, y = x",
        variables: &["x.y"],
        reference: row19,
        published: ["d", "d", "Y"],
        on_the_loop: "x.y",
        step: 0.1,
    },
    Example {
        row: 22,
        purpose: "index, suitable direction",
        equations: "i = (2 - v) / 1 Ohm, v' = i / 1 F, v(0) = 1",
        variables: &["capacitor.y"],
        reference: row22,
        published: ["Y", "Y", "Y"],
        on_the_loop: "capacitor.y",
        step: 0.1,
    },
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    for example in &EXAMPLES {
        table.note(format!(
            "Row {} ({}), equations of ours: {}.",
            example.row, example.purpose, example.equations
        ));
        for ((name, algorithm, order), published) in ALGORITHMS.into_iter().zip(example.published) {
            let run = bench.couple(&format!("petridis-{:02}", example.row), |settings| {
                (settings.algorithm, settings.extrapolation) = (algorithm, order);
                settings.step = example.step;
            })?;
            let (letter, deviation) = Letter::of(&run, example.variables, &(example.reference)(run.times()))?;
            let source = format!("002 row {}", example.row);
            let what = format!("{name}: {}", example.purpose);
            let (ours, passed) = match run.sentence() {
                Some(sentence) => {
                    table.sentence(&format!("{source}, {name}"), &sentence);
                    ("refused".to_owned(), sentence.contains(example.on_the_loop))
                }
                None => {
                    let ours = format!("{}, off by {:.2} %", letter.as_str(), 100.0 * deviation);
                    (ours, letter <= Letter::D)
                }
            };
            let limit = "right (Y, d), or an error that names the loop";
            table.row(&source, what, format!("({published})"), ours, limit, passed);
        }
    }
    Ok(())
}

fn sums(times: &[f64], matrix: [[f64; 3]; 3]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| vec![solve3(matrix, [1.0, t, 1.0]).iter().sum()];
    times.iter().map(at).collect()
}

fn row2(times: &[f64]) -> Vec<Vec<f64>> {
    sums(times, [[3.0, 0.5, 0.2], [0.1, 3.0, 0.5], [0.5, 0.2, 4.0]])
}

fn row4(times: &[f64]) -> Vec<Vec<f64>> {
    sums(times, [[1.0, 4.0, 0.2], [0.1, 1.0, 4.0], [4.0, 0.2, 1.0]])
}

/// x = exp(-1.2 x - 0.1) by bisection.
fn row9(times: &[f64]) -> Vec<Vec<f64>> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let x: f64 = 0.5 * (low + high);
        match x > (-1.2 * x - 0.1).exp() {
            true => high = x,
            false => low = x,
        }
    }
    vec![vec![low + 1.2 * low + 0.1]; times.len()]
}

fn row16(times: &[f64]) -> Vec<Vec<f64>> {
    integrate(times, &[1.0, 1.0, 0.1], 1e-3, |_, x, dx| {
        dx[0] = -x[1] - x[2];
        dx[1] = x[0] + 0.1 * x[1];
        dx[2] = 0.1 + x[2] * (x[0] - 4.0);
    })
}

fn row19(times: &[f64]) -> Vec<Vec<f64>> {
    vec![vec![1.0 / 3.0]; times.len()]
}

fn row22(times: &[f64]) -> Vec<Vec<f64>> {
    times.iter().map(|t| vec![2.0 - (-t).exp()]).collect()
}
