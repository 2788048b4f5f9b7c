//! `cargo xtask fuzz-models`: random models as Rust source, compiled through the macros and compared with what made them.

use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_shown};

/// Arguments of `fuzz-models`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The seed; another number gives other models.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of models; each takes a third of a second to compile.
    #[arg(long, default_value_t = 300)]
    count: u32,
}

/// Makes, compiles and compares.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    heading(&format!("{} models of seed {}", arguments.count, arguments.seed));
    let (status, lines) = run_shown(
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .env("RANDOM_MODELS_SEED", arguments.seed.to_string())
            .env("RANDOM_MODELS_COUNT", arguments.count.to_string())
            .args([
                "test",
                "-p",
                "random-models",
                "--test",
                "models",
                "--",
                "--nocapture",
            ]),
        "install a Rust toolchain",
    )?;
    let tally = Tally::of(&lines, status.success());
    println!("{tally}");
    match tally.failed {
        0 => Ok(()),
        failed => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}
