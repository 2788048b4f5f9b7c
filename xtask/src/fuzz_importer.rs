//! `cargo xtask fuzz-importer`: the targets of `verification/fuzz/` for a bounded time.
//!
//! They need a nightly compiler and `cargo-fuzz`, and minutes to build; the tests of `importer` run the same targets on
//! random changes of good files with any compiler.

use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, file, heading, pack, run_quiet, run_shown};

const REMEDY: &str = "install them: `rustup toolchain install nightly`, `cargo install cargo-fuzz`";

/// Arguments of `fuzz-importer`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The targets to run [default: all].
    #[arg(value_name = "TARGET", value_parser = ["archive", "description"])]
    targets: Vec<String>,
    /// Seconds per target.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u32,
}

/// Runs the targets one after the other; the first that fails ends it.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let folder = place.root.join("verification/fuzz");
    let description = place.root.join("verification/test-support/fmus/oscillator.xml");
    let good = std::fs::read(&description).map_err(file(&description, "cannot be read"))?;
    run_quiet(
        "looking for cargo-fuzz and a nightly compiler",
        Command::new("cargo")
            .current_dir(&folder)
            .args(["+nightly", "fuzz", "--version"]),
        REMEDY,
    )
    .map_err(|_| Error::Missing {
        program: "cargo +nightly fuzz".to_owned(),
        remedy: REMEDY,
    })?;
    for target in ["archive", "description"] {
        if !arguments.targets.is_empty() && !arguments.targets.iter().any(|wanted| wanted == target) {
            continue;
        }
        heading(&format!("{target}, {} s", arguments.seconds));
        seed(&folder.join("corpus").join(target), target, &good)?;
        // `cargo` here is what RUSTUP makes of it; the one that built this program knows no other toolchain.
        let (status, _) = run_shown(
            Command::new("cargo")
                .current_dir(&folder)
                .args(["+nightly", "fuzz", "run", target, "--"])
                .arg(format!("-max_total_time={}", arguments.seconds))
                .args(["-rss_limit_mb=1024", "-timeout=10", "-max_len=20000"]),
            REMEDY,
        )?;
        if !status.success() {
            return Err(Error::Failed {
                what: format!("fuzzing the {target}"),
                detail: format!("{status}; the input lies in verification/fuzz/artifacts/{target}"),
            });
        }
    }
    Ok(())
}

/// Something good to begin with.
fn seed(corpus: &Path, target: &str, description: &[u8]) -> Result<()> {
    std::fs::create_dir_all(corpus).map_err(file(corpus, "cannot be made"))?;
    let path = corpus.join("good");
    match target {
        "archive" => pack(
            &path,
            &[
                ("modelDescription.xml", description),
                ("resources/a.txt", b"text"),
            ],
        ),
        _ => std::fs::write(&path, description).map_err(file(&path, "cannot be written")),
    }
}
