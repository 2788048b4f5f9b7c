//! Co-simulation: what a communication point costs a multistep method, and how a stiff rod's time grows with its length.

use std::path::Path;
use std::process::Command;

use super::Figure;
use crate::chore::{Error, Place, Result, run_quiet};

const REMEDY: &str = "install Rust from https://rustup.rs";
const PROGRAM: &str = "cosim-bench";

/// Prints the published tables with ours, and measures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    run_quiet(
        "building benches/cosim",
        Command::new("cargo").current_dir(&place.root).args([
            "build",
            "--release",
            "--quiet",
            "--package",
            PROGRAM,
        ]),
        REMEDY,
    )?;
    let program = place.target.join("release").join(PROGRAM);
    let mut figures = tables(&program)?;
    figures.extend(rod(&program, smoke)?);
    Ok(figures)
}

/// Tables 7.2 and 7.3 of Andersson 2016.
fn tables(program: &Path) -> Result<Vec<Figure>> {
    let printed = run(program, &["tables"])?;
    let (tables, ratios) = printed.trim_end().rsplit_once('\n').unwrap_or(("", &printed));
    println!("{tables}");
    let [evaluations_2, error_2, evaluations_3, error_3] = numbers(ratios)?;
    let evaluations = "evaluations, corrected / restart";
    let error = "error, corrected / restart";
    Ok(vec![
        Figure::new(format!("table 7.2: {evaluations}"), evaluations_2, "").at_most(0.6),
        Figure::new(format!("table 7.2: {error}"), error_2, "").at_most(1.2),
        Figure::new(format!("table 7.3: {evaluations}"), evaluations_3, "").at_most(0.6),
        Figure::new(format!("table 7.3: {error}"), error_3, "").at_most(1.2),
    ])
}

/// The heat rod: its exact sparse Jacobian against a dense one by differences, and the growth of its time.
fn rod(program: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let (cells, repetitions) = if smoke {
        (&["100", "1000"][..], 1)
    } else {
        (&["1000", "2000", "5000", "10000"][..], 5)
    };
    let [first, ..] = cells else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    let mut points = Vec::new();
    for n in cells {
        let seconds = seconds(program, "rod", n, repetitions)?;
        points.push((n.parse::<f64>().unwrap_or(f64::NAN).ln(), seconds.ln()));
        figures.push(Figure::new(format!("HeatRod<{n}> to 1e-6"), seconds, "s"));
    }
    let differences = seconds(program, "differences", first, 1)?;
    let sparse = points.first().map_or(f64::NAN, |(_, seconds)| seconds.exp());
    figures.extend([
        Figure::new(
            format!("HeatRod<{first}>, dense Jacobian by differences"),
            differences,
            "s",
        ),
        Figure::new(
            format!("HeatRod<{first}>, exact and sparse / dense differences"),
            sparse / differences,
            "",
        )
        .at_most(1.0 / 20.0),
        Figure::new("its time grows like N to the power of", slope(&points), "").at_most(1.2),
    ]);
    Ok(figures)
}

/// The least of some times: what else the machine does only adds.
fn seconds(program: &Path, what: &str, n: &str, repetitions: usize) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let [seconds, ..] = numbers::<5>(&run(program, &[what, n])?)?;
        best = best.min(seconds);
    }
    Ok(best)
}

/// Of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let x = points.iter().map(|point| point.0).sum::<f64>() / n;
    let y = points.iter().map(|point| point.1).sum::<f64>() / n;
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    above / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

fn run(program: &Path, arguments: &[&str]) -> Result<String> {
    run_quiet("benches/cosim", Command::new(program).args(arguments), REMEDY)
}

fn numbers<const N: usize>(printed: &str) -> Result<[f64; N]> {
    let words = printed.split_whitespace();
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    <[f64; N]>::try_from(numbers).map_err(|_| Error::Failed {
        what: "reading the figures of benches/cosim".to_owned(),
        detail: printed.to_owned(),
    })
}
