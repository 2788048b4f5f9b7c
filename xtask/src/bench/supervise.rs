//! The price of processes: a run that a second process watches against one without it, and calls of an FMU in a process
//! of its own.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::importer::numbers;
use super::{Figure, package};
use crate::chore::{Error, Place, Result, run_quiet};

/// All figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench/supervise")?;
    let profile: &[&str] = if smoke { &[] } else { &["--release"] };
    run_quiet(
        "building the command and the benchmark",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .args(["build", "--quiet", "-p", "fmu", "-p", "coupling-bench"])
            .args(profile),
        "install a Rust toolchain",
    )?;
    let folder = place.target.join(if smoke { "debug" } else { "release" });
    let fmu = package(&place.root, "van-der-pol", &work, None)?;
    let mut figures = watched(&folder.join("fmu"), &fmu, &work, smoke)?;
    figures.extend(isolated(&folder.join("coupling-bench"), &fmu, &work, smoke)?);
    Ok(figures)
}

/// Seconds of `fmu simulate`.
fn seconds(command: &Path, fmu: &Path, work: &Path, arguments: &[&str]) -> Result<f64> {
    let begin = Instant::now();
    let output = Command::new(command)
        .arg("simulate")
        .arg(fmu)
        .args(arguments)
        .arg("--output")
        .arg(work.join("out.csv"))
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start {
            program: command.display().to_string(),
            source,
        })?;
    match output.status.success() {
        true => Ok(begin.elapsed().as_secs_f64()),
        false => Err(Error::Failed {
            what: "fmu simulate".to_owned(),
            detail: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
}

/// Runs with and without a worker by turns; the medians of the times, and of their ratios.
fn watched(command: &Path, fmu: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let rounds = if smoke { 1 } else { 11 };
    let race = |arguments: &[&str]| -> Result<[f64; 3]> {
        let mut all = Vec::new();
        for _ in 0..rounds {
            let inside = seconds(command, fmu, work, &[arguments, &["--in-process"]].concat())?;
            let watched = seconds(command, fmu, work, arguments)?;
            all.push([inside, watched, watched / inside]);
        }
        let median = |number: usize| {
            let mut values: Vec<f64> = all.iter().map(|one| one[number]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Ok([median(0), median(1), median(2)])
    };
    let start = race(&["--stop", "0.001", "--output-step", "0.001"])?;
    let mut figures = vec![
        Figure::new("a run of nothing, in one process", 1e3 * start[0], "ms"),
        Figure::new(
            "more for a worker, at the start",
            1e3 * (start[1] - start[0]),
            "ms",
        )
        .at_most(30.0),
    ];
    for (what, method, rows) in [
        ("few rows", &["--interface", "me", "--solver", "bdf"][..], 1e3),
        ("many rows", &["--interface", "cs"], 1e6),
    ] {
        // So long that it takes a second.
        let arguments = |stop: f64| -> Vec<String> {
            let step = stop / rows;
            let more = ["--stop", &stop.to_string(), "--output-step", &step.to_string()].map(str::to_owned);
            method.iter().map(|word| word.to_string()).chain(more).collect()
        };
        let run = |arguments: Vec<String>| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            race(&arguments)
        };
        let mut stop = 100.0;
        if !smoke {
            while stop < 1e7 {
                let words = arguments(stop);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let inside = [&words[..], &["--in-process"]].concat();
                if seconds(command, fmu, work, &inside)? > 0.9 {
                    break;
                }
                stop *= 1.5;
            }
        }
        let [inside, watched, ratio] = run(arguments(stop))?;
        figures.extend([
            Figure::new(format!("a run with {what}, in one process"), inside, "s"),
            Figure::new(format!("a run with {what}, with a worker"), watched, "s"),
            Figure::new(format!("time with {what}, with a worker / without"), ratio, "").at_most(1.05),
        ]);
    }
    Ok(figures)
}

fn isolated(bench: &Path, fmu: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let calls = if smoke { "100" } else { "20000" };
    let [alone, step, by_turns, at_once, idle, waiting]: [f64; 6] =
        numbers(Command::new(bench).arg("isolated").args([fmu, work]).arg(calls))?;
    Ok(vec![
        Figure::new("a call of an isolated FMU", alone, "us").at_most(3.0),
        Figure::new("a step of it, with its outputs", step, "us"),
        Figure::new("a call of four isolated FMUs by turns", by_turns, "us").at_most(30.0),
        Figure::new("a call of four isolated FMUs at once", at_once, "us").at_most(30.0),
        Figure::new("of a core, an isolated FMU that waits", 100.0 * idle, "%").at_most(0.5),
        Figure::new("of a core, a caller that waits", 100.0 * waiting, "%").at_most(0.5),
    ])
}
