//! `cargo xtask fuzz-calls`: random sequences of all functions of our FMUs, with guard pages behind all buffers.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, heading, run_shown};
use crate::importer::programs;
use crate::test::{Session, by_exit_code};

/// Models of different kinds: events, samples, an oscillator, parts, resources, implicit equations, samples at two rates.
const MODELS: [&str; 7] = [
    "BouncingBall",
    "Controller",
    "VanDerPol",
    "DrivenMotor",
    "Resource",
    "DiodeBridge",
    "TwoRate",
];

/// Arguments of `fuzz-calls`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The seed of the first sequence.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of sequences per FMU.
    #[arg(long, default_value_t = 1_000_000)]
    sequences: u64,
    /// The FMUs [default: seven examples, packaged first].
    #[arg(value_name = "FMU")]
    fmus: Vec<PathBuf>,
}

/// Packages the examples if no FMU is named, and calls them.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let mut fmus = arguments.fmus;
    if fmus.is_empty() {
        let out = place.folder("fuzz-calls")?;
        let crates = [
            "bouncing-ball",
            "controller",
            "van-der-pol",
            "driven-motor",
            "resource",
            "diode-bridge",
            "two-rate",
        ];
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(&place.root).args(["xtask", "package-fmu"]);
        command.args(crates).arg("--out").arg(&out);
        run_shown(&mut command, "install a Rust toolchain")?;
        fmus = MODELS.map(|model| out.join(format!("{model}.fmu"))).into();
    }
    let tally = call(&place, &fmus, arguments.seed, arguments.sequences)?;
    println!("{tally}");
    match tally.failed {
        0 => Ok(()),
        failed => Err(Error::Tests {
            passed: tally.passed,
            failed,
        }),
    }
}

/// A short version for the tests, on those of the FMUs that it is meant for.
pub fn check(session: &Session<'_>) -> Result<Tally> {
    let name = format!("fuzz-calls{}", std::env::consts::EXE_SUFFIX);
    let program = programs(session.place, &["fuzz-calls"])?.join(name);
    let mut checks = Vec::new();
    for fmu in session.fmus {
        let name = fmu.file_stem().and_then(|name| name.to_str());
        if name.is_some_and(|name| MODELS.contains(&name)) {
            let mut command = Command::new(&program);
            command.arg(fmu).args(["1", "1500"]);
            let inputs = session.inputs_of_program(&program, &[], std::slice::from_ref(fmu))?;
            checks.push(session.check("random-calls", fmu, inputs, command));
        }
    }
    session
        .passed
        .run(checks, "run it as `cargo xtask test`", by_exit_code)
}

fn call(place: &Place, fmus: &[PathBuf], seed: u64, sequences: u64) -> Result<Tally> {
    let program = build(place)?;
    let mut tally = Tally::default();
    for fmu in fmus {
        heading(&format!(
            "{}, {sequences} sequences from {seed} on",
            fmu.display()
        ));
        let mut command = Command::new(&program);
        command.arg(fmu).arg(seed.to_string()).arg(sequences.to_string());
        let (status, _) = run_shown(&mut command, "run it as `cargo xtask fuzz-calls`")?;
        tally = tally + Tally::one(status.success());
    }
    Ok(tally)
}

fn build(place: &Place) -> Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(&place.root)
        .args(["build", "--release", "--package", "fuzz-calls"]);
    let (status, _) = run_shown(&mut command, "install a Rust toolchain")?;
    if !status.success() {
        return Err(Error::Failed {
            what: "building fuzz-calls".to_owned(),
            detail: status.to_string(),
        });
    }
    let name = format!("fuzz-calls{}", std::env::consts::EXE_SUFFIX);
    Ok(place.target.join("release").join(name))
}
