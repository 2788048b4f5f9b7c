//! Many FMUs under one solver, beside the same system in one FMU.

use std::process::Command;

use super::Figure;
use super::importer::numbers;
use crate::chore::{Place, Result, run_quiet};

/// Segments of the rod; the whole rod has as many cells as all of them.
const SEGMENTS: &str = "40";

/// All figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench/aggregate")?;
    let profile: &[&str] = if smoke { &[] } else { &["--release"] };
    run_quiet(
        "building the benchmark",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .args(["build", "--quiet", "-p", "aggregate-bench"])
            .args(profile),
        "install a Rust toolchain",
    )?;
    let folder = place.target.join(if smoke { "debug" } else { "release" });
    let bench = folder.join("aggregate-bench");
    let quick: &[&str] = if smoke { &["--quick"] } else { &[] };
    let rods: &[&str] = if smoke { &["rod:RodSegment"] } else { &["rod"] };
    run_quiet(
        "packaging the quarter car and the rod",
        Command::new(std::env::current_exe().unwrap_or_else(|_| "cargo-xtask".into()))
            .current_dir(&place.root)
            .arg("package-fmu")
            .args(quick)
            .arg("quarter-car")
            .args(rods)
            .arg("--out")
            .arg(&work),
        "run it as `cargo xtask bench`",
    )?;
    let race = |arguments: &[&str]| -> Result<[f64; 5]> {
        numbers(
            Command::new(&bench)
                .arg(arguments[0])
                .arg(&work)
                .args(&arguments[1..]),
        )
    };
    let pair = race(&["pair", if smoke { "1" } else { "101" }])?;
    let mut figures = vec![
        Figure::new("a quarter car of two FMUs", pair[0], "ms"),
        Figure::new("a quarter car in one FMU", pair[1], "ms"),
        Figure::new("steps, two FMUs / one", pair[3] / pair[4], ""),
        Figure::new("time, two FMUs / one", pair[2], "").at_most(1.3),
    ];
    if !smoke {
        let rod = race(&["rod", SEGMENTS, "11"])?;
        figures.extend([
            Figure::new("a rod of 4000 cells in 40 FMUs", rod[0], "ms"),
            Figure::new("a rod of 4000 cells in one FMU", rod[1], "ms"),
            Figure::new("steps, 40 FMUs / one", rod[3] / rod[4], ""),
            Figure::new("time, 40 FMUs / one", rod[2], "").at_most(2.0),
        ]);
    }
    Ok(figures)
}
