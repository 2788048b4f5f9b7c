//! `cargo xtask kills`: kills `fmu simulate`, `couple` and `package-fmu` at random moments and looks at what is left.

use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, run_shown};

/// Arguments of `kills`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Number of kills.
    #[arg(long, default_value_t = 2000)]
    count: u64,
    /// The seed of the random numbers; the moments also depend on the machine.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the test of `fmu` that kills a few, with another number.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(&place.root)
        .args(["test", "--package", "fmu", "--test", "kills", "--", "--nocapture"])
        .env("KILLS", arguments.count.to_string())
        .env("KILLS_SEED", arguments.seed.to_string());
    let (status, lines) = run_shown(&mut command, "install a Rust toolchain")?;
    let summary = lines.iter().find_map(|line| {
        let (kills, failed) = line.strip_suffix(" with problems")?.split_once(" kills, ")?;
        Some((kills.parse::<u64>().ok()?, failed.parse::<u64>().ok()?))
    });
    let Some((kills, failed)) = summary else {
        return Err(Error::Failed {
            what: "cargo test --package fmu --test kills".to_owned(),
            detail: status.to_string(),
        });
    };
    let tally = Tally {
        passed: kills - failed,
        failed,
    };
    println!("{tally}");
    match failed {
        0 => Ok(()),
        _ => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}
