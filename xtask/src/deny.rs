//! `cargo xtask deny`: licenses, known weaknesses, repeated, unmaintained and foreign crates, by `cargo-deny` and the
//! rules of `deny.toml`.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_quiet, run_shown};

/// Arguments of `deny`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Downloads the database of advisories first; otherwise a local one is used, if there is one.
    #[arg(long)]
    fetch: bool,
}

/// Runs each check; the last line is the sum.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let cargo_deny = || {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&place.root).arg("deny");
        command
    };
    if run_quiet("cargo deny", cargo_deny().arg("--version"), "").is_err() {
        return Err(Error::Missing {
            program: "cargo-deny".to_owned(),
            remedy: "install it: cargo install --locked cargo-deny",
        });
    }
    let mut checks = vec!["licenses", "bans", "sources"];
    match arguments.fetch || has_advisories() {
        true => checks.push("advisories"),
        false => println!("advisories are not checked: there is no database; --fetch downloads it"),
    }
    let mut tally = Tally::default();
    for check in checks {
        heading(&format!("cargo deny check {check}"));
        let mut command = cargo_deny();
        command.arg("--all-features");
        if !arguments.fetch {
            command.arg("--offline");
        }
        command.args(["check", "--hide-inclusion-graph"]);
        let (status, _) = run_shown(
            command.arg(check),
            "install it: cargo install --locked cargo-deny",
        )?;
        tally = tally + Tally::one(status.success());
    }
    println!("{tally}");
    match tally.failed {
        0 => Ok(()),
        failed => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}

/// Whether a database of advisories is where `cargo-deny` looks for it.
fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let folder = home.map(|home| home.join("advisory-dbs"));
    folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .is_some_and(|mut entries| entries.next().is_some())
}
