//! `cargo xtask`: a thin front over the `fmu` library, and the commands for work on this repository.
//!
//! Each command is a module with an `Arguments` (derive `clap::Args`) and a `run`, one variant of [`Command`] and one line
//! of [`main`]. It is a library so that tests can hold the commands of the documentation against its command line.

mod bench;
mod casadi;
mod chore;
mod coupled_systems;
mod demo;
mod deny;
mod driver;
mod driver_3;
mod facts;
mod fuzz;
mod fuzz_calls;
mod fuzz_importer;
mod header;
mod importer;
mod importers;
mod kills;
mod mutants;
mod package_crates;
mod papers;
mod python;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Packages models, and tests and measures this repository.
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "`cargo xtask COMMAND --help` describes a command."
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Fmu(fmu::cli::Command),
    /// Packages two models as FMUs, couples them, and draws the results.
    Demo(demo::Arguments),
    /// Checks licenses, advisories and duplicates of all dependencies against deny.toml (needs cargo-deny).
    Deny(deny::Arguments),
    /// Runs all tests, or some parts of them.
    Test(test::Arguments),
    /// Measures speed, size and build time, and compares them with their limits.
    Bench(bench::Arguments),
    /// Generates random models as Rust source, compiles them, and compares them with the expressions they came from.
    FuzzModels(fuzz::Arguments),
    /// Calls all functions of our FMUs in random sequences, with a guard page behind every buffer.
    FuzzCalls(fuzz_calls::Arguments),
    /// Feeds the importer random archives and descriptions for a limited time (needs nightly Rust and cargo-fuzz).
    FuzzImporter(fuzz_importer::Arguments),
    /// Kills fmu simulate, couple and package-fmu at random moments, and checks the files that are left (Linux).
    Kills(kills::Arguments),
    /// Couples random linear components with every algorithm, and compares with the matrix exponential.
    CoupledSystems(coupled_systems::Arguments),
    /// Packs the published crates, and packages and simulates a model that depends on the packed files.
    PackageCrates(package_crates::Arguments),
    /// Couples the examples of the papers as FMUs, and compares them with the published figures.
    Papers(papers::Arguments),
    /// Runs every example FMU in the importers of other projects, and writes IMPORTERS.md.
    Importers(importers::Arguments),
    /// Computes gradients with CasADi through FMUs of FMI 3.0, and compares them with closed forms (downloads 100 MB once).
    Casadi(casadi::Arguments),
    /// Writes a C header with all functions that the library of an FMU exports.
    Header(header::Arguments),
}

/// The whole command: reads the arguments of the process, runs the command and returns its exit code.
pub fn main() -> ExitCode {
    fmu::cli::exit(match Arguments::parse().command {
        Command::Fmu(command) => command.run(),
        Command::Casadi(arguments) => casadi::run(arguments).map_err(Into::into),
        Command::CoupledSystems(arguments) => coupled_systems::run(arguments).map_err(Into::into),
        Command::Demo(arguments) => demo::run(arguments).map_err(Into::into),
        Command::Deny(arguments) => deny::run(arguments).map_err(Into::into),
        Command::Bench(arguments) => bench::run(arguments).map_err(Into::into),
        Command::FuzzModels(arguments) => fuzz::run(arguments).map_err(Into::into),
        Command::FuzzCalls(arguments) => fuzz_calls::run(arguments).map_err(Into::into),
        Command::FuzzImporter(arguments) => fuzz_importer::run(arguments).map_err(Into::into),
        Command::Header(arguments) => header::run(arguments).map_err(Into::into),
        Command::Importers(arguments) => importers::run(arguments).map_err(Into::into),
        Command::Kills(arguments) => kills::run(arguments).map_err(Into::into),
        Command::PackageCrates(arguments) => package_crates::run(arguments).map_err(Into::into),
        Command::Papers(arguments) => papers::run(arguments).map_err(Into::into),
        Command::Test(arguments) => test::run(arguments).map_err(Into::into),
    })
}
