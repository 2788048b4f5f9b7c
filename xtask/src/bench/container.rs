//! Two light FMUs written in C: our master beside a container of `fmucontainer` (fmu-manipulation-toolbox) and beside
//! plain C.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Figure;
use super::importer::{numbers, numbers_of};
use crate::chore::{Error, Place, Result, file, pack, run_quiet};
use crate::driver::COMPILER;

/// The release that is raced against.
const TOOLBOX: &str = "fmu-manipulation-toolbox==2.0";

/// Name, A and B of each FMU: der(x) = A x + B u.
const FMUS: [(&str, &str, &str); 2] = [("light_first", "-1.0", "0.5"), ("light_second", "-2.0", "-1.0")];

/// The figures of the pair.
pub(super) fn measure(
    place: &Place,
    headers: &Path,
    bench: &Path,
    plain_c: &Path,
    work: &Path,
    smoke: bool,
) -> Result<Vec<Figure>> {
    let mut fmus = Vec::new();
    for (name, a, b) in FMUS {
        fmus.push(light(place, headers, work, name, a, b)?);
    }
    // A short run installs nothing.
    let container = match smoke {
        true => None,
        false => match container(place, work) {
            Ok(container) => Some(container),
            Err(error) => {
                println!("{TOOLBOX} cannot be installed or used, so its limit is not kept ({error})");
                None
            }
        },
    };
    let (processes, rounds, steps) = if smoke {
        (1, "3", "1000")
    } else {
        (7, "15", "50000")
    };
    let race = |with: &Path| {
        let mut command = Command::new(bench);
        command.arg("light").arg(plain_c).args(&fmus).arg(with);
        command.args([rounds, steps]);
        command
    };
    let mut races = Vec::new();
    for _ in 0..processes {
        races.push(match &container {
            Some(container) => numbers_of(&mut race(container))?,
            None => numbers::<3>(&mut race(Path::new("-")))?.to_vec(),
        });
    }
    let median = |number: usize| {
        let mut values: Vec<f64> = races
            .iter()
            .filter_map(|race| race.get(number).copied())
            .collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let mut figures = vec![
        Figure::new("a step of two light C FMUs, jacobi", median(0), "ns"),
        Figure::new("a step of two light C FMUs, plain C", median(1), "ns"),
        Figure::new("time, jacobi / plain C", median(2), ""),
    ];
    if !smoke {
        figures.extend(beside_container(
            container.is_some().then(|| [median(3), median(4)]),
        ));
    }
    Ok(figures)
}

/// The time of a step of the container, and ours by it, if it could be measured: a limit that was not measured is not kept.
fn beside_container(measured: Option<[f64; 2]>) -> [Figure; 2] {
    let [step, ratio] = measured.unwrap_or([f64::NAN; 2]);
    [
        Figure::new("a step of two light C FMUs, fmucontainer", step, "ns"),
        Figure::new("time, jacobi / fmucontainer", ratio, "").at_most(1.0),
    ]
}

/// Compiles and packs one of the light FMUs.
fn light(place: &Place, headers: &Path, work: &Path, name: &str, a: &str, b: &str) -> Result<PathBuf> {
    let library = work.join(format!("{name}.so"));
    run_quiet(
        "compiling a light FMU",
        Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-O2", "-shared", "-fPIC", "-I"])
            .arg(headers)
            .args([
                format!("-DA=({a})"),
                format!("-DB=({b})"),
                format!("-DGUID=\"{name}\""),
            ])
            .arg(place.root.join("verification/benches/c/light.c"))
            .arg("-o")
            .arg(&library),
        COMPILER,
    )?;
    let bytes = std::fs::read(&library).map_err(file(&library, "cannot be read"))?;
    let description = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="{name}">
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output" variability="continuous" initial="exact">
      <Real start="1"/>
    </ScalarVariable>
    <ScalarVariable name="u" valueReference="1" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1" dependencies=""/></Outputs></ModelStructure>
</fmiModelDescription>
"#
    );
    let fmu = work.join(format!("{name}.fmu"));
    pack(
        &fmu,
        &[
            ("modelDescription.xml", description.as_bytes()),
            (&format!("binaries/linux64/{name}.so"), &bytes),
        ],
    )?;
    Ok(fmu)
}

/// Puts both FMUs into a container that makes steps of a millisecond.
fn container(place: &Place, work: &Path) -> Result<PathBuf> {
    const PYTHON: &str = "install Python 3.10 or newer with venv";
    let folder = place.target.join("fmucontainer");
    let tool = folder.join("bin/fmucontainer");
    if !tool.is_file() {
        run_quiet(
            "making a virtual environment",
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&folder),
            PYTHON,
        )?;
        run_quiet(
            "installing fmucontainer",
            Command::new(folder.join("bin/python")).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                TOOLBOX,
            ]),
            PYTHON,
        )?;
    }
    let [(first, ..), (second, ..)] = FMUS;
    let plan = format!(
        r#"{{"name": "container.fmu", "step_size": 0.001, "auto_link": false, "auto_input": false, "auto_output": false,
"fmu": ["{first}.fmu", "{second}.fmu"],
"link": [["{first}.fmu", "x", "{second}.fmu", "u"], ["{second}.fmu", "x", "{first}.fmu", "u"]],
"output": [["{first}.fmu", "x", "x1"], ["{second}.fmu", "x", "x2"]]}}"#
    );
    let description = work.join("container.json");
    std::fs::write(&description, plan).map_err(file(&description, "cannot be written"))?;
    run_quiet(
        "making a container",
        Command::new(&tool)
            .current_dir(work)
            .args(["-fmu-directory", ".", "-container", "container.json"]),
        PYTHON,
    )?;
    let made = work.join("container.fmu");
    match made.is_file() {
        true => Ok(made),
        false => Err(Error::Failed {
            what: "making a container".to_owned(),
            detail: "fmucontainer wrote no file".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::beside_container;

    #[test]
    fn a_race_without_the_toolbox_is_beyond_its_limit() {
        let kept = |measured| beside_container(measured).iter().all(|figure| figure.holds());
        assert!(kept(Some([100.0, 0.9])));
        assert!(!kept(Some([100.0, 1.1])));
        assert!(!kept(None));
    }
}
