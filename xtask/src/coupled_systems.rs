//! `cargo xtask coupled-systems`: random linear systems of coupled components, held to the matrix exponential.

use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_shown};

/// Arguments of `coupled-systems`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Number of systems.
    #[arg(long, default_value_t = 500)]
    count: u64,
    /// The seed of the first system; the following ones count up.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Builds the proof with optimisation, and runs its random systems: with error control, and with fixed steps.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let Arguments { count, seed } = arguments;
    let last = seed.saturating_add(count).saturating_sub(1);
    heading(&format!("{count} coupled systems, from seed {seed} on"));
    let (status, lines) = run_shown(
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .env("COUPLING_SYSTEMS", format!("{seed}..{last}"))
            .args([
                "test",
                "--release",
                "--package",
                "fmu-master",
                "--features",
                "native",
            ])
            .args(["--test", "proof", "random_systems"])
            .args(["--", "--nocapture", "--test-threads=1"]),
        "install a Rust toolchain",
    )?;
    // Systems are counted, not the two tests that try them.
    let own = |line: &&String| !line.starts_with("test result: ");
    let own: Vec<String> = lines.iter().filter(own).cloned().collect();
    let tally = Tally::of(&own, status.success());
    println!("{tally}");
    match tally.failed {
        0 => Ok(()),
        failed => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}
