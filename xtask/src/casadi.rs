//! `cargo xtask casadi`: gradients through our FMUs in a tool that asks for adjoint derivatives.

use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_shown};
use crate::python::Python;

/// Arguments of `casadi`.
#[derive(Debug, Args)]
pub struct Arguments {}

/// Packages two examples with a variable per element, and runs `xtask/python/check_casadi.py` on them.
pub fn run(_: Arguments) -> Result<()> {
    let place = Place::find()?;
    heading("packaging");
    let own = std::env::current_exe().map_err(|source| Error::Start {
        program: "cargo xtask".to_owned(),
        source,
    })?;
    let (status, lines) = run_shown(
        Command::new(own)
            .current_dir(&place.root)
            .args(["package-fmu", "van-der-pol", "heat-rod"])
            .args(["--fmi", "3", "--arrays", "scalar", "--quick", "--out"])
            .arg(place.folder("casadi")?),
        "run it as `cargo xtask casadi`",
    )?;
    if !status.success() {
        return Err(Error::Failed {
            what: "packaging".to_owned(),
            detail: status.to_string(),
        });
    }
    heading("CasADi");
    let python = Python::with_casadi(&place)?;
    let mut command = python.command();
    command
        .arg(place.root.join("xtask/python/check_casadi.py"))
        .args(lines.iter().filter(|line| line.ends_with(".fmu")));
    let (status, lines) = run_shown(&mut command, "install Python")?;
    let tally = Tally::of(&lines, status.success());
    match tally.failed {
        0 => Ok(()),
        failed => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}
