//! The command line: the function that a `main` calls, and the commands for the command line of another program.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::new;
use crate::output::say;
use crate::package::{self, Arrays, Build, Console, Options, Progress, Versions};

/// Writes, packages, checks and runs FMUs.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "`fmu COMMAND --help` describes a command, with examples."
)]
struct Arguments {
    #[command(subcommand)]
    command: Whole,
}

/// The commands of the program `fmu`.
#[derive(Debug, Subcommand)]
enum Whole {
    #[command(flatten)]
    Shared(Command),
    /// Lists the platforms that this machine can package for, and what the others need.
    Platforms,
}

/// The commands, to be flattened into a larger command line.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Builds model crates into FMUs.
    #[command(visible_alias = "package")]
    PackageFmu(PackageArguments),
    /// Creates a crate for a new model.
    #[command(visible_alias = "new")]
    NewModel(NewArguments),
    /// Shows the contents of an FMU.
    #[cfg(feature = "import")]
    Info(crate::info::InfoArguments),
    /// Checks an FMU against the standard; with --run also its behaviour.
    #[cfg(feature = "import")]
    Check(crate::check::CheckArguments),
    /// Simulates an FMU, writes its results and draws them.
    #[cfg(feature = "simulate")]
    Simulate(Box<crate::simulate::SimulateArguments>),
    /// Linearizes an FMU: A, B, C and D at a given time.
    #[cfg(feature = "simulate")]
    Linearize(Box<crate::linearize::LinearizeArguments>),
    /// Simulates a system of coupled FMUs.
    #[cfg(feature = "couple")]
    Couple(Box<crate::couple::CoupleArguments>),
    /// What `check --run` does in processes of their own.
    #[cfg(feature = "import")]
    #[command(name = crate::check::PROBE, hide = true)]
    Probe(crate::check::ProbeArguments),
}

/// Arguments of `package-fmu`.
#[derive(Debug, Args)]
pub struct PackageArguments {
    /// The crates to package; CRATE:MODEL packages one model of a crate that has several.
    #[arg(value_name = "CRATE")]
    pub crates: Vec<String>,
    /// Packages every crate of the workspace that has `[package.metadata.fmu]` (without `all = false`).
    #[arg(long, conflicts_with = "crates")]
    pub all: bool,
    /// The folder for the FMUs [default: target/fmu].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Builds without optimization and keeps debug information.
    #[arg(long)]
    pub debug: bool,
    /// Builds in a third of the time: optimized, but not across crates.
    #[arg(long, conflicts_with = "debug")]
    pub quick: bool,
    /// The version of FMI: 2, 3 or both; the command reads FMI 2.0 only [default: `fmi` in `[package.metadata.fmu]`, or 2].
    #[arg(long, value_name = "VERSION", value_parser = Versions::WORDS)]
    pub fmi: Option<String>,
    /// How FMI 3.0 describes arrays: whole, or scalar for hosts without arrays (with --fmi 3 or both).
    #[arg(long, value_name = "HOW", value_parser = ["whole", "scalar"], default_value = "whole")]
    pub arrays: String,
    /// The platforms that the FMU contains libraries for, such as linux64,win64,aarch64-linux; `all` stands for those that this
    /// machine can build (`fmu platforms` lists them) [default: this machine].
    #[arg(long = "platform", value_name = "NAMES", value_delimiter = ',')]
    pub platforms: Vec<String>,
    /// A platform by its Rust target (may be repeated).
    #[arg(long = "target", value_name = "TRIPLE")]
    pub targets: Vec<String>,
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<(), Box<dyn Error>> {
        match self {
            Command::PackageFmu(arguments) => {
                crate::cleanup::on_signals(None)?;
                arguments.run()
            }
            Command::NewModel(arguments) => arguments.run(),
            #[cfg(feature = "import")]
            Command::Info(arguments) => arguments.run(),
            #[cfg(feature = "import")]
            Command::Check(arguments) => {
                crate::cleanup::on_signals(None)?;
                arguments.run()
            }
            #[cfg(feature = "couple")]
            Command::Couple(arguments) => arguments.run(),
            #[cfg(feature = "simulate")]
            Command::Simulate(arguments) => arguments.run(),
            #[cfg(feature = "simulate")]
            Command::Linearize(arguments) => arguments.run(),
            #[cfg(feature = "import")]
            Command::Probe(arguments) => arguments.run(),
        }
    }
}

/// Arguments of `new-model`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// The name of the crate, such as `heat-pump`.
    pub name: String,
    /// The folder of the crate fmu-runtime [default: the one that the workspace uses].
    #[arg(long, value_name = "DIR")]
    pub runtime_path: Option<PathBuf>,
    /// Uses the integrator for stiff models: writes the cargo feature and the attribute.
    #[arg(long)]
    pub stiff: bool,
}

impl NewArguments {
    fn run(self) -> Result<(), Box<dyn Error>> {
        let here = std::env::current_dir()?;
        let command = format!("{} package-fmu", package::command_name(&here));
        let options = new::Options {
            name: self.name,
            runtime_path: self.runtime_path,
            command: command.clone(),
            stiff: self.stiff,
        };
        let created = new::new_model(&here, &options)?;
        let mut console = Console::new();
        let folder = created
            .folder
            .strip_prefix(&here)
            .unwrap_or(&created.folder)
            .display();
        console.step("Created", &format!("{folder} with the model {}", created.model));
        if let Some(manifest) = created.added_to {
            console.step("Added", &format!("it to the members in {}", manifest.display()));
        }
        // Packaging needs a workspace: without one around this folder, the new crate is its own.
        let is_inside = here.ancestors().any(|folder| folder.join("Cargo.toml").is_file());
        let next = if is_inside {
            format!("edit {folder}/src/lib.rs, then run: {command} {}", options.name)
        } else {
            format!(
                "cd {folder}, edit src/lib.rs, then run: {command} {}",
                options.name
            )
        };
        console.step("Next", &next);
        println!("{folder}");
        Ok(())
    }
}

impl PackageArguments {
    fn run(self) -> Result<(), Box<dyn Error>> {
        let here = std::env::current_dir()?;
        if self.crates.is_empty() && !self.all {
            let command = format!("{} package-fmu", package::command_name(&here));
            return Err(format!(
                "no crate is named; write `{command} CRATE`, or `{command} --all` for every crate of the workspace that has \
                 `[package.metadata.fmu]`"
            )
            .into());
        }
        let options = Options {
            crates: self.crates,
            out: self.out,
            build: match (self.debug, self.quick) {
                (true, _) => Build::Debug,
                (_, true) => Build::Quick,
                _ => Build::Release,
            },
            platforms: self.platforms,
            targets: self.targets,
            fmi: self.fmi.as_deref().and_then(Versions::of),
            arrays: match self.arrays.as_str() {
                "scalar" => Arrays::Scalar,
                _ => Arrays::Whole,
            },
            date: package::source_date_epoch()?,
        };
        for path in package::package(&here, &options, &mut Console::new())? {
            // As the caller has named the folder; the default one is named from here.
            let shown = match (&options.out, path.file_name()) {
                (Some(out), Some(name)) => out.join(name),
                _ => path.strip_prefix(&here).unwrap_or(&path).to_owned(),
            };
            println!("{}", shown.display());
        }
        Ok(())
    }
}

/// The whole command: reads the arguments of the process and returns its exit code.
pub fn main() -> ExitCode {
    exit(match Arguments::parse().command {
        Whole::Shared(command) => command.run(),
        Whole::Platforms => list_platforms(),
    })
}

/// The whole command line, for tests of documents and for completion.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Prints the platforms that this machine can package for, and what the others need.
pub fn list_platforms() -> Result<(), Box<dyn Error>> {
    let list = package::platforms(&std::env::current_dir()?)?;
    Ok(std::io::stdout().write_all(list.as_bytes())?)
}

/// The end of a command that has printed everything and returns its own exit code.
#[derive(Clone, Copy, Debug)]
pub struct Exit(pub u8);

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl Error for Exit {}

/// Turns the result of a command into an exit code; an error is printed on standard error, one line for each cause.
pub fn exit(result: Result<(), Box<dyn Error>>) -> ExitCode {
    let code = exit_code(result);
    #[cfg(feature = "supervise")]
    crate::supervise::finish(code);
    ExitCode::from(code)
}

fn exit_code(result: Result<(), Box<dyn Error>>) -> u8 {
    let Err(error) = result else {
        return 0;
    };
    if let Some(Exit(code)) = error.downcast_ref() {
        return *code;
    }
    // The reader of the output has seen enough.
    let reading = error.downcast_ref().map(std::io::Error::kind);
    if reading == Some(std::io::ErrorKind::BrokenPipe) {
        return 0;
    }
    let mut said = error.to_string();
    say!("error: {said}");
    let mut cause = error.source();
    while let Some(error) = cause {
        // Many errors contain their cause.
        let reason = error.to_string();
        if !said.contains(&reason) {
            say!("  because: {reason}");
            said = reason;
        }
        cause = error.source();
    }
    1
}
