//! The importer on FMUs that others made: every FMU of this workspace as a user checks it, and those of other exporters.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Place, Result, Tally, dealt, run_all_shown, run_quiet, run_shown};
use crate::python::Python;

/// Builds programs, as `cargo test --workspace` has built them; returns their folder.
pub fn programs(place: &Place, names: &[&str]) -> Result<PathBuf> {
    run_quiet(
        &format!("building {}", names.join(" and ")),
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            // With the features that the whole workspace and its tests ask for, so that nothing is built twice.
            .args(["build", "--quiet", "--workspace", "--test", "simulate"])
            .args(names.iter().flat_map(|name| ["--bin", name])),
        "install a Rust toolchain",
    )?;
    Ok(place.target.join("debug"))
}

/// Builds the `fmu` command.
pub fn command(place: &Place) -> Result<PathBuf> {
    Ok(programs(place, &["fmu"])?.join(format!("fmu{}", std::env::consts::EXE_SUFFIX)))
}

/// `fmu check --run --strict` on each FMU must find nothing.
pub fn check(fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let check = |path: &PathBuf| {
        let mut command = Command::new(fmu);
        command.args(["check", "--run", "--strict"]).arg(path);
        (String::new(), command)
    };
    let outcomes = run_all_shown(fmus.iter().map(check).collect(), "run it as `cargo xtask test`")?;
    let verdicts = outcomes.iter().map(|(status, _)| Tally::one(status.success()));
    Ok(verdicts.fold(Tally::default(), |sum, one| sum + one))
}

/// FMUs of other exporters, made now, must be opened, judged without an error, and run.
pub fn other_exporters(place: &Place, python: &Python, fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let mut command = python.command();
    command
        .arg(place.root.join("xtask/python/check_exporters.py"))
        .arg(fmu)
        .arg(place.folder("conformance/exporters")?)
        .args(fmus.iter().find(|fmu| fmu.ends_with("Dahlquist.fmu")));
    let (status, lines) = run_shown(&mut command, "install Python")?;
    Ok(Tally::of(&lines, status.success()))
}

/// Commands that are printed in an FMU's documentation and in the README of a new model must run as they are printed.
pub fn documents(place: &Place, python: &Python, fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let mut command = python.command();
    command
        .arg(place.root.join("xtask/python/check_documents.py"))
        .arg(fmu)
        .arg(place.root.join("fmu-runtime"))
        .arg(place.folder("conformance/documents")?)
        .args(fmus);
    let (status, lines) = run_shown(&mut command, "install Python")?;
    Ok(Tally::of(&lines, status.success()))
}

/// `fmu simulate` must agree with FMPy.
pub fn simulate(place: &Place, python: &Python, fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let compare = |fmus: Vec<PathBuf>| {
        let mut command = python.command();
        command.arg(place.root.join("xtask/python/compare_simulations.py"));
        command.arg(fmu).args(fmus);
        (String::new(), command)
    };
    let commands = dealt(fmus).into_iter().map(compare).collect();
    Ok(Tally::of_all(&run_all_shown(commands, "install Python")?))
}
