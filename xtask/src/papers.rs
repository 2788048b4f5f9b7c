//! `cargo xtask papers`: runs the crate in `xtask/papers`, which is built only when it is needed.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, run_shown};
use crate::demo::fmu_command;
use crate::importer::programs;

/// Arguments of `papers`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Skips long runs, and does not enforce times: for machines that are busy.
    #[arg(long)]
    smoke: bool,
    /// Runs only groups whose name contains one of these words.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

/// Reproduces the papers; the last line is the sum of all rows.
pub fn run(arguments: Arguments) -> Result<()> {
    let begin = Instant::now();
    let place = Place::find()?;
    let fmu = fmu_command(&place, "aggregate")?;
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(&place.root)
        .args(["run", "--quiet", "--package", "papers", "--", "--root"])
        .arg(&place.root)
        .arg("--out")
        .arg(place.folder("papers")?)
        .arg("--command")
        .arg(fmu);
    if arguments.smoke {
        command.arg("--smoke");
    }
    let (status, lines) = run_shown(command.args(arguments.words), "install a Rust toolchain")?;
    eprintln!("{} s", begin.elapsed().as_secs());
    match status.success() {
        true => Ok(()),
        false => {
            let Tally { passed, failed } = Tally::of(&lines, false);
            Err(Error::Tests { passed, failed })
        }
    }
}

/// The short run of the tests, by the programs that they have built anyway.
pub fn check(place: &Place, fmu: &Path) -> Result<Tally> {
    let folder = programs(place, &["papers", "fmu"])?;
    let program = folder.join(format!("papers{}", std::env::consts::EXE_SUFFIX));
    let (status, lines) = run_shown(
        Command::new(program)
            .current_dir(&place.root)
            .arg("--smoke")
            .arg("--root")
            .arg(&place.root)
            .arg("--out")
            .arg(place.folder("papers")?)
            .arg("--command")
            .arg(fmu),
        "run it as `cargo xtask test`",
    )?;
    Ok(Tally::of(&lines, status.success()))
}
