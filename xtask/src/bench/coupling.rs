//! Coupled FMUs: pairs beside plain C that only calls them and beside `fmucontainer`, a mesh under Newton's method, and a
//! long ring.

use std::path::Path;
use std::process::Command;

use super::importer::{compile, numbers};
use super::{Figure, container};
use crate::chore::{Place, Result, run_quiet};
use crate::python::Python;

/// All figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench/coupling")?;
    let python = Python::ensure(place)?;
    let profile: &[&str] = if smoke { &[] } else { &["--release"] };
    run_quiet(
        "building the benchmark",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .args(["build", "--quiet", "-p", "coupling-bench"])
            .args(profile),
        "install a Rust toolchain",
    )?;
    let folder = place.target.join(if smoke { "debug" } else { "release" });
    let bench = folder.join("coupling-bench");
    let package = |what: &str, arguments: &[&str]| {
        run_quiet(
            what,
            Command::new(std::env::current_exe().unwrap_or_else(|_| "cargo-xtask".into()))
                .current_dir(&place.root)
                .arg("package-fmu")
                .args(arguments)
                .arg("--out")
                .arg(&work),
            "run it as `cargo xtask bench`",
        )
    };
    // What is raced against plain C is built as for others; of a ring only the growth counts.
    let pair_of_fmus: &[&str] = if smoke { &["--quick", PAIR.0] } else { &[PAIR.0] };
    package("packaging prey and predators", pair_of_fmus)?;
    let headers = python.fmi_headers()?;
    let plain_c = compile(place, &headers, &work, "pair_loop")?;
    let mut figures = pair(&plain_c, &bench, &work, smoke)?;
    figures.extend(container::measure(
        place, &headers, &bench, &plain_c, &work, smoke,
    )?);
    if !smoke {
        package("packaging the hydraulic line", &["hydraulics:Line"])?;
        let [held, stabilized, ratio]: [f64; 3] = numbers(
            Command::new(&bench)
                .arg("stabilized")
                .arg(work.join("Line.fmu"))
                .arg("21"),
        )?;
        figures.extend([
            Figure::new("two hydraulic lines, explicit steps of 1 us", 1e3 * held, "ms"),
            Figure::new(
                "two hydraulic lines, stabilized steps of 50 us",
                1e3 * stabilized,
                "ms",
            ),
            Figure::new("time, stabilized / explicit", 1.0 / ratio, "").at_most(0.2),
        ]);
        package(
            "packaging the members of the ring and the mesh",
            &["--quick", "ring"],
        )?;
        let [jacobi, newton, ratio]: [f64; 3] = numbers(
            Command::new(&bench)
                .arg("mesh")
                .arg(work.join("Member.fmu"))
                .args(["11", "400"]),
        )?;
        figures.extend([
            Figure::new(
                "a step of 50 FMUs with 2000 connections, jacobi",
                1e6 * jacobi,
                "us",
            ),
            Figure::new(
                "a step of 50 FMUs with 2000 connections, newton",
                1e6 * newton,
                "us",
            ),
            Figure::new("time, newton / jacobi", ratio, "").at_most(20.0),
        ]);
        figures.extend(ring(&bench, &work)?);
    }
    Ok(figures)
}

/// The crate, and its FMUs.
const PAIR: (&str, [&str; 2]) = ("lotka-volterra", ["Prey.fmu", "Predator.fmu"]);

fn pair(plain_c: &Path, bench: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    // A process lays out its memory by chance, which is worth some percent.
    let (processes, rounds, steps) = if smoke {
        (1, "3", "1000")
    } else {
        (7, "21", "20000")
    };
    let mut races = Vec::new();
    for _ in 0..processes {
        let race: [f64; 6] = numbers(
            Command::new(bench)
                .arg("pair")
                .arg(plain_c)
                .args(PAIR.1.map(|name| work.join(name)))
                .args([rounds, steps]),
        )?;
        races.push(race);
    }
    let median = |number: usize| {
        let mut values: Vec<f64> = races.iter().map(|race| race[number]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Ok(vec![
        Figure::new("a step of two FMUs, jacobi", median(0), "ns"),
        Figure::new("a step of two FMUs, plain C", median(1), "ns"),
        Figure::new("time, jacobi / plain C", median(2), "").at_most(2.0),
        Figure::new("a step that is repeated once, gauss-seidel", median(3), "ns"),
        Figure::new("a step that is repeated once, plain C", median(4), "ns"),
        Figure::new("time, gauss-seidel / plain C", median(5), "").at_most(2.5),
    ])
}

fn ring(bench: &Path, work: &Path) -> Result<Vec<Figure>> {
    let run = |fmus: &str, connections: &str, steps: &str| -> Result<[f64; 2]> {
        let ring = || {
            numbers(
                Command::new(bench)
                    .arg("ring")
                    .arg(work)
                    .args([fmus, connections, steps]),
            )
        };
        let (first, second): ([f64; 2], [f64; 2]) = (ring()?, ring()?);
        Ok([first[0].min(second[0]), first[1].min(second[1])])
    };
    let (short, long) = (run("1000", "1", "1000")?, run("1000", "1", "10000")?);
    let quarter = run("250", "1", "4000")?;
    let more = [run("1000", "2", "1000")?, run("1000", "4", "1000")?];
    Ok(vec![
        Figure::new("a ring of 1000 FMUs of 21 files, 10 000 steps", long[0], "s"),
        Figure::new("memory of 10 000 steps", long[1] / 1e6, "MB"),
        Figure::new("memory, 10 000 steps / 1000 steps", long[1] / short[1], "").at_most(1.02),
        Figure::new(
            "time, 10 000 steps / 10 times 1000 steps",
            0.1 * long[0] / short[0],
            "",
        )
        .at_most(1.3),
        Figure::new(
            "time for an FMU and a step, 1000 FMUs / 250 FMUs",
            short[0] / quarter[0],
            "",
        )
        .at_most(1.5),
        Figure::new("1000 steps with 1 connection between neighbours", short[0], "s"),
        Figure::new(
            "1000 steps with 2 connections between neighbours",
            more[0][0],
            "s",
        ),
        Figure::new(
            "1000 steps with 4 connections between neighbours",
            more[1][0],
            "s",
        ),
        // Twice the connections may take twice the time, and a little for noise.
        Figure::new("time, 2 connections / 1 connection", more[0][0] / short[0], "").at_most(2.2),
        Figure::new("time, 4 connections / 2 connections", more[1][0] / more[0][0], "").at_most(2.2),
    ])
}
