//! What it costs to build an FMU from nothing: crates, seconds, bytes.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use super::{Figure, package};
use crate::chore::{Place, Result, file, run_quiet};

const CRATE: &str = "bouncing-ball";

/// Builds into a target folder that is not there yet.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let tree = run_quiet(
        "cargo tree",
        Command::new(env!("CARGO")).current_dir(&place.root).args([
            "tree",
            "--package",
            CRATE,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]),
        "install a Rust toolchain",
    )?;
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();

    let cold = place.target.join("bench/cold");
    // A smoke run may reuse what an earlier one built.
    if cold.exists() && !smoke {
        std::fs::remove_dir_all(&cold).map_err(file(&cold, "cannot be removed"))?;
    }
    let begin = Instant::now();
    let fmu = package(&place.root, CRATE, &cold.join("fmu"), Some(&cold))?;
    let seconds = begin.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&fmu)
        .map_err(file(&fmu, "cannot be read"))?
        .len();
    Ok(vec![
        Figure::new(
            "crates in the tree of the BouncingBall FMU",
            crates.len() as f64,
            "crates",
        )
        .at_most(25.0),
        Figure::new("cold release build and packaging of it", seconds, "s").at_most(60.0),
        Figure::new("size of its FMU", bytes as f64 / 1000.0, "KB").at_most(500.0),
    ])
}
