//! The importer on FMUs that others made: every FMU of this workspace as a user checks it, and those of other exporters.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Place, Result, Tally, run_quiet, run_shown};
use crate::test::{Session, by_closing_lines, by_exit_code};

const PYTHON: &str = "install Python";

/// The folders of the crates that a model is compiled with.
pub const MODEL_CRATES: [&str; 6] = [
    "Cargo.toml",
    "Cargo.lock",
    "standard",
    "numerics",
    "fmu-macros",
    "fmu-runtime",
];

/// Builds programs, as `cargo test --workspace` has built them; returns their folder.
pub fn programs(place: &Place, names: &[&str]) -> Result<PathBuf> {
    run_quiet(
        &format!("building {}", names.join(" and ")),
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            // With the features that the whole workspace and its tests ask for, so that nothing is built twice.
            .args(["build", "--quiet", "--workspace", "--test", "simulate"])
            .args(names.iter().flat_map(|name| ["--bin", name])),
        "install a Rust toolchain",
    )?;
    Ok(place.target.join("debug"))
}

/// Builds the `fmu` command.
pub fn command(place: &Place) -> Result<PathBuf> {
    Ok(programs(place, &["fmu"])?.join(format!("fmu{}", std::env::consts::EXE_SUFFIX)))
}

/// FMPy validates and simulates each FMU, in the locale `C` and in one with a decimal comma.
pub fn fmpy(session: &Session<'_>) -> Result<Tally> {
    let scripts = ["check_fmus.py", "check_locale.py"];
    let mut checks = Vec::new();
    for script in scripts {
        for fmu in session.fmus {
            let mut command = session.python.command();
            command.arg(session.script(script)).arg(fmu);
            let inputs = session.inputs(&[], std::slice::from_ref(fmu))?;
            checks.push(session.check(script, fmu, inputs, command));
        }
    }
    session.passed.run(checks, PYTHON, by_closing_lines)
}

/// FMPy validates and simulates FMUs of FMI 3.0, each beside the FMU of FMI 2.0 of the same model.
pub fn fmpy_3(session: &Session<'_>, own: &[PathBuf]) -> Result<Tally> {
    let script = "check_fmus_3.py";
    let mut checks = Vec::new();
    for fmu in own {
        let mut both = vec![fmu.clone()];
        let model = model_name(fmu);
        both.extend(
            session
                .fmus
                .iter()
                .filter(|other| model_name(other) == model)
                .cloned(),
        );
        let mut command = session.python.command();
        command.arg(session.script(script)).args(&both);
        checks.push(session.check(script, fmu, session.inputs(&[], &both)?, command));
    }
    session.passed.run(checks, PYTHON, by_closing_lines)
}

/// The model of an FMU, by its file: `BouncingBall` of `BouncingBall.fmi3.fmu`.
fn model_name(fmu: &Path) -> String {
    let name = fmu.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// `fmu check --run --strict` on each FMU must find nothing.
pub fn check(session: &Session<'_>, fmu: &Path) -> Result<Tally> {
    let mut checks = Vec::new();
    for path in session.fmus {
        let mut command = Command::new(fmu);
        command.args(["check", "--run", "--strict"]).arg(path);
        let inputs = session.inputs_of_program(fmu, &[], std::slice::from_ref(path))?;
        checks.push(session.check("check", path, inputs, command));
    }
    session
        .passed
        .run(checks, "run it as `cargo xtask test`", by_exit_code)
}

/// FMUs of other exporters, made now, must be opened, judged without an error, and run.
pub fn other_exporters(session: &Session<'_>, fmu: &Path) -> Result<Tally> {
    let ours: Vec<PathBuf> = session
        .fmus
        .iter()
        .filter(|fmu| fmu.ends_with("Dahlquist.fmu"))
        .cloned()
        .collect();
    if ours.is_empty() {
        println!("without the crate dahlquist, FMUs of other exporters are not checked");
        return Ok(Tally::default());
    }
    let inputs = session.inputs_of_program(fmu, &[], &ours)?;
    session.passed.once("other exporters", inputs, || {
        let mut command = session.python.command();
        command
            .arg(session.script("check_exporters.py"))
            .arg(fmu)
            .arg(session.place.folder("conformance/exporters")?)
            .args(&ours);
        let (status, lines) = run_shown(&mut command, PYTHON)?;
        Ok(Tally::of(&lines, status.success()))
    })
}

/// Commands that are printed in an FMU's documentation and in the README of a new model must run as they are printed.
pub fn documents(session: &Session<'_>, fmu: &Path) -> Result<Tally> {
    let script = "check_documents.py";
    let command = || -> Result<Command> {
        let mut command = session.python.command();
        command
            .arg(session.script(script))
            .arg(fmu)
            .arg(session.place.root.join("fmu-runtime"))
            .arg(session.place.folder("conformance/documents")?);
        Ok(command)
    };
    // Without an FMU: the README of a new model, which is compiled with the crates that a model needs.
    let new_model = session.inputs_of_program(fmu, &MODEL_CRATES, &[])?;
    let mut checks = vec![session.check(script, Path::new("new-model"), new_model, command()?)];
    for path in session.fmus {
        let mut command = command()?;
        command.arg(path);
        let inputs = session.inputs_of_program(fmu, &[], std::slice::from_ref(path))?;
        checks.push(session.check(script, path, inputs, command));
    }
    session.passed.run(checks, PYTHON, by_closing_lines)
}

/// `fmu simulate` must agree with FMPy.
pub fn simulate(session: &Session<'_>, fmu: &Path) -> Result<Tally> {
    let script = "compare_simulations.py";
    let mut checks = Vec::new();
    for path in session.fmus {
        let mut command = session.python.command();
        command.arg(session.script(script)).arg(fmu).arg(path);
        let inputs = session.inputs_of_program(fmu, &[], std::slice::from_ref(path))?;
        checks.push(session.check(script, path, inputs, command));
    }
    session.passed.run(checks, PYTHON, by_closing_lines)
}
