//! `cargo xtask test`: everything that can be tested, in one command - Rust, packaging, FMPy, the C interface.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, dealt, heading, run_all_shown, run_shown};
use crate::driver::Driver;
use crate::python::Python;
use crate::{driver_3, fuzz_calls, header, importer, mutants, papers};

/// The crate that misbehaves on request, for the tests of the C interface; it is not an example, so `--all` leaves it out.
const PROBE: &str = "conformance-probe";

/// The parts of the tests, as `--only` names them.
const PARTS: &[&str] = &[
    "Rust",
    "FMPy",
    "FMI 3.0",
    "fmu check",
    "fmu simulate",
    "printed commands",
    "papers",
    "C interface",
    "random calls",
    "C header",
    "planted faults",
];

/// Arguments of `test`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Skips `cargo test`.
    #[arg(long)]
    skip_rust: bool,
    /// Tests this FMU instead of packaging examples (may be repeated).
    #[arg(long = "fmu", value_name = "FILE", conflicts_with = "crates")]
    fmus: Vec<PathBuf>,
    /// Runs only this part (may be repeated); the last lines of a complete run list the parts.
    #[arg(long = "only", value_name = "PART")]
    only: Vec<String>,
    /// Packages and tests these crates instead of all examples.
    #[arg(value_name = "CRATE")]
    crates: Vec<String>,
}

/// Runs all tests; the last line is the sum of them.
pub fn run(arguments: Arguments) -> Result<()> {
    let begin = Instant::now();
    let place = Place::find()?;
    let mut parts: Vec<(&str, Tally)> = Vec::new();

    let wants = |part: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == part);
    if let Some(unknown) = arguments.only.iter().find(|only| !PARTS.contains(&only.as_str())) {
        return Err(Error::Missing {
            program: format!("the part '{unknown}' of the tests"),
            remedy: "the parts are Rust, FMPy, 'FMI 3.0', 'fmu check', 'fmu simulate', 'printed commands', papers, 'C interface', 'random calls', 'C header' and \
                     'planted faults'",
        });
    }

    if !arguments.skip_rust && wants("Rust") {
        heading("cargo test --workspace");
        let (status, lines) = run_shown(
            Command::new(env!("CARGO")).current_dir(&place.root).args([
                "test",
                "--workspace",
                "--no-fail-fast",
            ]),
            "install a Rust toolchain",
        )?;
        parts.push(("Rust", Tally::of(&lines, status.success())));
    }

    let mut fmus = arguments.fmus;
    let are_given = !fmus.is_empty();
    if !are_given {
        heading("packaging");
        let (packaged, packaging) = package(&place, &arguments.crates)?;
        fmus = packaged;
        parts.push(("packaging", packaging));
    }

    let python = Python::ensure(&place)?;
    if wants("FMPy") {
        heading("FMPy: validation, and simulation as Model Exchange with CVode and as Co-Simulation");
        let check = |fmus: Vec<PathBuf>| {
            let mut command = python.command();
            command
                .arg(place.root.join("xtask/python/check_fmus.py"))
                .args(fmus);
            (String::new(), command)
        };
        let mut checks: Vec<_> = dealt(&fmus).into_iter().map(check).collect();
        let mut locale = python.command();
        locale
            .arg(place.root.join("xtask/python/check_locale.py"))
            .args(&fmus);
        checks.push((String::new(), locale));
        parts.push(("FMPy", Tally::of_all(&run_all_shown(checks, "install Python")?)));
    }

    // FMUs that are given are of FMI 2.0; those of FMI 3.0 are packaged beside them.
    if wants("FMI 3.0") && !are_given {
        heading(
            "FMI 3.0: packaging, FMPy against closed forms and FMI 2.0, and the C interface with planted faults",
        );
        let (own, packaging) = package_version_3(&place, &arguments.crates)?;
        let mut command = python.command();
        command
            .arg(place.root.join("xtask/python/check_fmus_3.py"))
            .args(own.iter().chain(&fmus));
        let (status, lines) = run_shown(&mut command, "install Python")?;
        let simulated = Tally::of(&lines, status.success());
        let called = driver_3::check(&place, &python.fmi_headers()?, &own)?;
        parts.push(("FMI 3.0", packaging + simulated + called));
    }

    if ["fmu check", "fmu simulate", "printed commands", "papers"]
        .into_iter()
        .any(wants)
    {
        let fmu = importer::command(&place)?;
        if wants("fmu check") {
            heading("fmu check --run --strict, on these FMUs; fmu check on those of other exporters");
            let checked = importer::check(&fmu, &fmus)?;
            parts.push((
                "fmu check",
                checked + importer::other_exporters(&place, &python, &fmu, &fmus)?,
            ));
        }
        if wants("fmu simulate") {
            heading("fmu simulate against FMPy");
            parts.push(("fmu simulate", importer::simulate(&place, &python, &fmu, &fmus)?));
        }
        if wants("printed commands") {
            heading("commands that are printed in documents");
            parts.push((
                "printed commands",
                importer::documents(&place, &python, &fmu, &fmus)?,
            ));
        }
        if wants("papers") {
            heading("the papers, as coupled FMUs");
            parts.push(("papers", papers::check(&place, &fmu)?));
        }
    }

    let headers = python.fmi_headers()?;
    if wants("C interface") || wants("planted faults") {
        let driver = Driver::build(&place, &headers)?;
        if wants("C interface") {
            heading("the C interface");
            parts.push(("C interface", driver.run(&fmus)?));
        }
        if wants("planted faults") {
            heading("the driver itself: planted faults");
            driver.prepare(&fmus)?;
            parts.push(("planted faults", mutants::run(&place, &driver, &headers, &fmus)?));
        }
    }

    if wants("random calls") {
        heading("all functions in random sequences");
        parts.push(("random calls", fuzz_calls::check(&place, &fmus)?));
    }

    if wants("C header") {
        heading("the C header");
        parts.push(("C header", header::check(&place, &headers)?));
    }

    heading(&format!("all tests, {} s", begin.elapsed().as_secs()));
    for (name, tally) in &parts {
        println!("{name:>16}: {tally}");
    }
    let sum = parts
        .iter()
        .fold(Tally::default(), |sum, (_, tally)| sum + *tally);
    println!("{sum}");
    if sum.failed == 0 {
        Ok(())
    } else {
        Err(Error::Tests {
            passed: sum.passed,
            failed: sum.failed,
        })
    }
}

/// Packages as a person would, and reads the paths from the last lines, as a script would.
pub fn package(place: &Place, crates: &[String]) -> Result<(Vec<PathBuf>, Tally)> {
    let probe = [PROBE.to_owned()];
    let everything: [&[String]; 2] = [&["--all".to_owned()], &probe];
    let calls: &[&[String]] = if crates.is_empty() { &everything } else { &[crates] };
    package_to(place, "conformance/fmu", calls)
}

/// The same models as FMUs of FMI 3.0, built quickly.
fn package_version_3(place: &Place, crates: &[String]) -> Result<(Vec<PathBuf>, Tally)> {
    let all = ["--all".to_owned()];
    let mut call = if crates.is_empty() { &all[..] } else { crates }.to_vec();
    call.extend(["--fmi", "3", "--quick"].map(str::to_owned));
    package_to(place, "conformance/fmi3", &[&call])
}

fn package_to(place: &Place, folder: &str, calls: &[&[String]]) -> Result<(Vec<PathBuf>, Tally)> {
    let out = place.folder(folder)?;
    let own = std::env::current_exe().map_err(|source| Error::Start {
        program: "cargo xtask".to_owned(),
        source,
    })?;
    let mut fmus = Vec::new();
    let mut tally = Tally::default();
    for call in calls {
        let (status, lines) = run_shown(
            Command::new(&own)
                .current_dir(&place.root)
                .arg("package-fmu")
                .args(*call)
                .arg("--out")
                .arg(&out),
            "run it as `cargo xtask test`",
        )?;
        let paths = lines
            .iter()
            .rev()
            .map(PathBuf::from)
            .take_while(|path| path.is_file());
        let found: Vec<PathBuf> = paths.collect();
        tally = tally + Tally::one(status.success() && !found.is_empty());
        fmus.extend(found.into_iter().rev());
    }
    Ok((fmus, tally))
}
