//! The importer on FMUs that others made: every FMU of this workspace as a user checks it, and one of PythonFMU.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Place, Result, Tally, run_quiet, run_shown};
use crate::python::Python;

/// Builds the `fmu` command, as `cargo test --workspace` has built it.
pub fn command(place: &Place) -> Result<PathBuf> {
    run_quiet(
        "building the fmu command",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            // With the features that the whole workspace asks for, so that nothing is built twice.
            .args(["build", "--quiet", "--workspace", "--bin", "fmu"]),
        "install a Rust toolchain",
    )?;
    Ok(place
        .target
        .join("debug")
        .join(format!("fmu{}", std::env::consts::EXE_SUFFIX)))
}

/// `fmu check --run` on each FMU must find no error.
pub fn check(fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let mut tally = Tally::default();
    for path in fmus {
        let (status, _) = run_shown(
            Command::new(fmu).args(["check", "--run"]).arg(path),
            "run it as `cargo xtask test`",
        )?;
        tally = tally + Tally::one(status.success());
    }
    Ok(tally)
}

/// An FMU of PythonFMU, made now, must be opened, checked and run.
pub fn python_fmu(place: &Place, python: &Python, fmu: &Path) -> Result<Tally> {
    let (status, lines) = run_shown(
        python
            .command()
            .arg(place.root.join("xtask/python/check_pythonfmu.py"))
            .arg(fmu)
            .arg(place.folder("conformance/pythonfmu")?),
        "install Python",
    )?;
    Ok(Tally::of(&lines, status.success()))
}

/// `fmu simulate` must agree with FMPy.
pub fn simulate(place: &Place, python: &Python, fmu: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let (status, lines) = run_shown(
        python
            .command()
            .arg(place.root.join("xtask/python/compare_simulations.py"))
            .arg(fmu)
            .args(fmus),
        "install Python",
    )?;
    Ok(Tally::of(&lines, status.success()))
}
