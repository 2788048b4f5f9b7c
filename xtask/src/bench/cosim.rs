//! Co-simulation: what a communication point costs a multistep method, how a stiff rod's time grows with its length, and
//! fixed steps against `verification/benches/c/dahlquist.c`.

use std::path::Path;
use std::process::Command;

use super::race::{Loop, Ours, Race};
use super::{Figure, lay_out};
use crate::chore::{Error, Place, Result, run_quiet};

const REMEDY: &str = "install Rust from https://rustup.rs";
const PROGRAM: &str = "cosim-bench";

/// Prints the published tables with ours, and measures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    run_quiet(
        "building verification/benches/cosim",
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
    figures.extend(steps(place, smoke)?);
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
        (&["1000", "2000", "5000", "10000"][..], 9)
    };
    let [first, ..] = cells else { return Ok(Vec::new()) };
    // The least of some times, taken in turns: what else the machine does only adds, and may change while it is measured.
    let mut times = vec![f64::INFINITY; cells.len()];
    for _ in 0..repetitions {
        for (time, n) in times.iter_mut().zip(cells) {
            *time = time.min(seconds(program, "rod", n)?);
        }
    }
    let mut figures = Vec::new();
    let mut points = Vec::new();
    for (seconds, n) in times.iter().zip(cells) {
        points.push((n.parse::<f64>().unwrap_or(f64::NAN).ln(), seconds.ln()));
        figures.push(Figure::new(format!("HeatRod<{n}> to 1e-6"), *seconds, "s"));
    }
    let differences = seconds(program, "differences", first)?;
    figures.extend([
        Figure::new(
            format!("HeatRod<{first}>, dense Jacobian by differences"),
            differences,
            "s",
        ),
        Figure::new(
            format!("HeatRod<{first}>, exact and sparse / dense differences"),
            times[0] / differences,
            "",
        )
        .at_most(1.0 / 20.0),
        Figure::new("its time grows like N to the power of", slope(&points), "").at_most(1.2),
    ]);
    Ok(figures)
}

/// The method and the step of `verification/benches/c/dahlquist.c`.
pub(super) const DAHLQUIST: &str = "//! Dahlquist's test equation with a fixed step.

use fmu_runtime::prelude::*;

/// Dahlquist's test equation
#[model(solver = \"rk4\", max_step = 0.01)]
pub struct DahlquistFixed {
    /// What decays
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Rate of decay
    #[parameter(start = 1.0)]
    pub k: f64,
}

#[equations]
impl Model for DahlquistFixed {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.k * self.x }
    }
}

export_fmu!(DahlquistFixed);
";

/// `fmi2DoStep` with a fixed step.
fn steps(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let crate_name = "dahlquist-fixed";
    let ours = Ours {
        model: "DahlquistFixed",
        crate_name,
        directory: &lay_out(place, crate_name, &[], DAHLQUIST)?,
        target: Some(&place.target.join("bench/dahlquist-target")),
    };
    let race = Race::prepare(place, &ours, "dahlquist", "{c-baseline-dahlquist}")?;
    let ten = Loop {
        what: "fmi2DoStep, 10 steps of Runge-Kutta",
        name: "0.1",
        loops: "2000",
        limit: Some(1.3),
    };
    let one = Loop {
        what: "fmi2DoStep, 1 step of Runge-Kutta",
        name: "0.01",
        loops: "5000",
        limit: Some(1.3),
    };
    let mut figures = race.run(&ten, smoke)?;
    figures.extend(race.run(&one, smoke)?);
    Ok(figures)
}

fn seconds(program: &Path, what: &str, n: &str) -> Result<f64> {
    let [seconds, ..] = numbers::<5>(&run(program, &[what, n])?)?;
    Ok(seconds)
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
    run_quiet(
        "verification/benches/cosim",
        Command::new(program).args(arguments),
        REMEDY,
    )
}

fn numbers<const N: usize>(printed: &str) -> Result<[f64; N]> {
    let words = printed.split_whitespace();
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    <[f64; N]>::try_from(numbers).map_err(|_| Error::Failed {
        what: "reading the figures of verification/benches/cosim".to_owned(),
        detail: printed.to_owned(),
    })
}
