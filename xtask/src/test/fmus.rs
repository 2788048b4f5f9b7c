//! The parts that test our FMUs, by other tools, by our own importer and through the C interface.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::Row;
use super::parts::Part;
use super::passed::{Check, Inputs, Passed, Sources};
use crate::chore::{Error, Place, Result, Tally, heading, run_shown};
use crate::driver::Driver;
use crate::python::Python;
use crate::{driver_3, fuzz_calls, header, importer, mutants, papers};

/// The crate that misbehaves on request, for the tests of the C interface; it is not an example, so `--all` leaves it out.
const PROBE: &str = "conformance-probe";

/// Examples that `--all` leaves out, too.
const BY_NAME: &str = "impacts";

/// What the parts have in common.
pub struct Session<'a> {
    /// The workspace.
    pub place: &'a Place,
    /// FMPy.
    pub python: &'a Python,
    /// The FMUs.
    pub fmus: &'a [PathBuf],
    /// Results of earlier runs.
    pub passed: &'a Passed,
    /// The files of the repository, if they can be listed.
    pub sources: Option<Sources>,
}

impl Session<'_> {
    /// Inputs of a check: the scripts and lists of `xtask/`, the C driver, more folders or files of the repository, and FMUs.
    /// `None` where the files of the repository cannot be listed.
    pub fn inputs(&self, more: &[&str], fmus: &[PathBuf]) -> Result<Option<Inputs>> {
        let Some(sources) = &self.sources else {
            return Ok(None);
        };
        let begins = |path: &Path| {
            let scripts = ["xtask", "verification/conformance"];
            scripts.iter().chain(more).any(|folder| path.starts_with(folder))
        };
        let mut inputs = sources.add(Inputs::of("fmus").text(self.python.made_from()), begins)?;
        for fmu in fmus {
            inputs = inputs.contents(fmu)?;
        }
        Ok(Some(inputs))
    }

    /// One check of one FMU.
    pub fn check(&self, name: &str, fmu: &Path, inputs: Option<Inputs>, command: Command) -> Check {
        let model = fmu.file_stem().unwrap_or_default().to_string_lossy();
        Check {
            name: format!("{name}-{model}"),
            title: String::new(),
            inputs,
            command,
        }
    }

    /// A script of ours.
    pub fn script(&self, name: &str) -> PathBuf {
        self.place.root.join("xtask/python").join(name)
    }

    /// The same as [`Session::inputs`], for a check that runs a program of ours.
    pub fn inputs_of_program(
        &self,
        program: &Path,
        more: &[&str],
        fmus: &[PathBuf],
    ) -> Result<Option<Inputs>> {
        let inputs = self.inputs(more, fmus)?;
        inputs.map(|inputs| inputs.program(program)).transpose()
    }
}

/// Runs some parts, and returns their results.
pub fn run(
    place: &Place,
    passed: &Passed,
    parts: &[Part],
    fmus: Vec<PathBuf>,
    crates: &[String],
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut begin = Instant::now();
    let mut fmus = fmus;
    let are_given = !fmus.is_empty();
    if !are_given && parts.iter().any(|part| part.needs_fmus()) {
        heading("packaging");
        let (packaged, packaging) = package(place, crates)?;
        fmus = packaged;
        rows.push(Row::new("packaging", packaging, begin));
    }
    let python = Python::ensure(place)?;
    let session = Session {
        place,
        python: &python,
        fmus: &fmus,
        passed,
        sources: Sources::list(place),
    };
    let needs_command = [Part::Check, Part::Simulate, Part::Documents, Part::Papers];
    let fmu = match parts.iter().any(|part| needs_command.contains(part)) {
        true => importer::command(place)?,
        false => PathBuf::new(),
    };
    let headers = python.fmi_headers()?;
    let mut driver = None;
    for part in parts {
        begin = Instant::now();
        if matches!(part, Part::CInterface | Part::PlantedFaults) && driver.is_none() {
            driver = Some(Driver::build(place, &headers)?);
        }
        let tally = match (part, &driver) {
            (Part::Rust, _) => continue,
            (Part::Fmpy, _) => {
                heading("FMPy: validation, and simulation as Model Exchange with CVode and as Co-Simulation");
                importer::fmpy(&session)?
            }
            // FMUs that are given are of FMI 2.0; those of FMI 3.0 are packaged beside them.
            (Part::Fmi3, _) if are_given => continue,
            (Part::Fmi3, _) => {
                heading(
                    "FMI 3.0: packaging, FMPy against closed forms and FMI 2.0, and the C interface with planted faults",
                );
                let (own, packaging) = package_version_3(place, crates)?;
                packaging + importer::fmpy_3(&session, &own)? + driver_3::check(&session, &headers, &own)?
            }
            (Part::Check, _) => {
                heading("fmu check --run --strict, on these FMUs; fmu check on those of other exporters");
                importer::check(&session, &fmu)? + importer::other_exporters(&session, &fmu)?
            }
            (Part::Simulate, _) => {
                heading("fmu simulate against FMPy");
                importer::simulate(&session, &fmu)?
            }
            (Part::Documents, _) => {
                heading("commands that are printed in documents");
                importer::documents(&session, &fmu)?
            }
            (Part::Papers, _) => {
                heading("the papers, as coupled FMUs");
                papers::check(&session, &fmu)?
            }
            (Part::CInterface, Some(driver)) => {
                heading("the C interface");
                driver.run(&session)?
            }
            (Part::PlantedFaults, Some(driver)) => {
                heading("the driver itself: planted faults");
                mutants::check(&session, driver, &headers)?
            }
            // The driver is there for both; see above.
            (Part::CInterface | Part::PlantedFaults, None) => continue,
            (Part::RandomCalls, _) => {
                heading("all functions in random sequences");
                fuzz_calls::check(&session)?
            }
            (Part::Header, _) => {
                heading("the C header");
                header::check(place, &headers)?
            }
        };
        rows.push(Row::new(part, tally, begin));
    }
    Ok(rows)
}

/// Packages as a person would, and reads the paths from the last lines, as a script would.
fn package(place: &Place, crates: &[String]) -> Result<(Vec<PathBuf>, Tally)> {
    if !crates.is_empty() {
        return package_to(place, "conformance/fmu", &[crates]);
    }
    let by_name = [BY_NAME, PROBE].map(str::to_owned);
    package_to(place, "conformance/fmu", &[&["--all".to_owned()], &by_name])
}

/// Packages all examples.
pub fn package_examples(place: &Place) -> Result<(Vec<PathBuf>, Tally)> {
    let calls: [&[String]; 2] = [&["--all".to_owned()], &[BY_NAME.to_owned()]];
    package_to(place, "conformance/fmu", &calls)
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
