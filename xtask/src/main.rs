//! `cargo xtask`: a thin front over the `fmu` library, and the repository's own chores.
//!
//! A chore is a module with an `Arguments` (derive `clap::Args`) and a `run`, and one line in [`Command`] and `main`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of this workspace; the commands that package models are those of the `fmu` library.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Fmu(fmu::cli::Command),
}

fn main() -> ExitCode {
    fmu::cli::exit(match Arguments::parse().command {
        Command::Fmu(command) => command.run(),
    })
}
