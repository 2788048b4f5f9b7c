//! `cargo xtask papers`: runs the crate in `xtask/papers`, which is built only when it is needed.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, run_shown};
use crate::demo::fmu_command;
use crate::importer::{MODEL_CRATES, programs};
use crate::test::Session;

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

/// Folders whose crates the papers couple as FMUs.
const EXAMPLES: [&str; 6] = [
    "examples/bouncing-ball",
    "examples/controller",
    "examples/dc-motor",
    "examples/impacts",
    "examples/stair",
    "examples/systems",
];

/// The short run of the tests, by the programs that they have built anyway.
pub fn check(session: &Session<'_>, fmu: &Path) -> Result<Tally> {
    let place = session.place;
    let folder = programs(place, &["papers", "fmu"])?;
    let program = folder.join(format!("papers{}", std::env::consts::EXE_SUFFIX));
    let folders = [&MODEL_CRATES[..], &EXAMPLES, &["verification/papers"]].concat();
    let inputs = session.inputs_of_program(fmu, &folders, &[])?;
    let inputs = inputs.map(|inputs| inputs.program(&program)).transpose()?;
    session.passed.once("papers", inputs, || {
        let (status, lines) = run_shown(
            Command::new(&program)
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
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// An example that is coupled and not listed would not run the papers when it changes.
    #[test]
    fn examples_that_are_coupled_are_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let packaged =
            std::fs::read_to_string(root.join("verification/papers/src/fmus.rs")).expect("a source");
        for entry in std::fs::read_dir(root.join("examples")).expect("the examples") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            let listed = super::EXAMPLES.contains(&format!("examples/{name}").as_str());
            let coupled = packaged.contains(&format!("\"{name}\"")) || name == "systems";
            assert_eq!(listed, coupled, "{name}");
        }
    }
}
