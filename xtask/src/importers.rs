//! `cargo xtask importers`: every example FMU in importers of others, as a table.

use std::path::PathBuf;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_shown};
use crate::python::Python;
use crate::test;

/// Arguments of `importers`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Runs this FMU instead of packaging all examples (may be repeated).
    #[arg(long = "fmu", value_name = "FILE")]
    fmus: Vec<PathBuf>,
    /// The Markdown file to write.
    #[arg(long, value_name = "FILE", default_value = "IMPORTERS.md")]
    page: PathBuf,
}

/// Runs the matrix; a row that is not right without a known defect of the tool is an error.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let mut fmus = arguments.fmus;
    if fmus.is_empty() {
        heading("packaging");
        let (packaged, tally) = test::package_examples(&place)?;
        if tally.failed > 0 {
            return Err(Error::Tests {
                passed: tally.passed,
                failed: tally.failed,
            });
        }
        fmus = packaged;
    }
    heading("importers of others");
    let python = Python::ensure(&place)?;
    let mut command = python.command();
    command
        .arg(place.root.join("xtask/python/importers.py"))
        .arg(place.folder("importers")?)
        .arg(place.root.join(arguments.page))
        .args(fmus);
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
