//! `cargo xtask`: a thin front over the `fmu` library, and the repository's own chores.
//!
//! A chore is a module with an `Arguments` (derive `clap::Args`) and a `run`, and one line in [`Command`] and `main`.

mod bench;
mod chore;
mod coupled_systems;
mod demo;
mod deny;
mod driver;
mod facts;
mod fuzz;
mod fuzz_calls;
mod fuzz_importer;
mod header;
mod importer;
mod importers;
mod kills;
mod mutants;
mod papers;
mod python;
mod test;

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
    /// Makes two FMUs, couples them, and shows what comes out: the quickest way to see everything at work.
    Demo(demo::Arguments),
    /// Holds dependencies to deny.toml: licenses, advisories, repeated and unmaintained crates (needs cargo-deny).
    Deny(deny::Arguments),
    /// Runs all tests: Rust, packaging, FMPy, the C interface.
    Test(test::Arguments),
    /// Measures the figures that this workspace promises, against their limits.
    Bench(bench::Arguments),
    /// Makes random models as Rust source, compiles them and compares them with what they were made from.
    FuzzModels(fuzz::Arguments),
    /// Calls all functions of our FMUs in random sequences, with guard pages behind all buffers.
    FuzzCalls(fuzz_calls::Arguments),
    /// Hands the importer random archives and descriptions, for a bounded time (needs nightly and cargo-fuzz).
    FuzzImporter(fuzz_importer::Arguments),
    /// Kills fmu simulate, couple and package-fmu at random moments, and looks at what they leave (Linux).
    Kills(kills::Arguments),
    /// Couples random linear components in every way, and compares with the matrix exponential.
    CoupledSystems(coupled_systems::Arguments),
    /// Couples the examples of the papers as FMUs, and holds them to the published figures.
    Papers(papers::Arguments),
    /// Runs every example FMU in importers of others, and writes the table.
    Importers(importers::Arguments),
    /// Writes the C header of what an FMU's library exports.
    Header(header::Arguments),
}

fn main() -> ExitCode {
    fmu::cli::exit(match Arguments::parse().command {
        Command::Fmu(command) => command.run(),
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
        Command::Papers(arguments) => papers::run(arguments).map_err(Into::into),
        Command::Test(arguments) => test::run(arguments).map_err(Into::into),
    })
}
