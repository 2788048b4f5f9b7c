//! A building with a thousand events against FMPy with CVode, and what the solver takes for it and for published problems
//! with other choices than its defaults.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Figure;
use super::importer::numbers;
use crate::chore::{Place, Result, file, pack, run_quiet, run_shown};
use crate::driver::COMPILER;
use crate::python::Python;

const ROOMS: usize = 16;
const PARTS: [&str; 5] = ["air", "sensor", "radiator", "inside", "outside"];

/// All figures; the programs lie in `folder`.
pub fn measure(
    place: &Place,
    python: &Python,
    folder: &Path,
    work: &Path,
    smoke: bool,
) -> Result<Vec<Figure>> {
    let fmu = building(place, &python.fmi_headers()?, work)?;
    if !smoke {
        run_shown(
            Command::new(folder.join("importer-bench"))
                .arg("solvers")
                .arg(&fmu),
            "run it as `cargo xtask bench`",
        )?;
    }
    let (stop, rounds) = if smoke { ("7200", "1") } else { ("172800", "3") };
    let [ours, theirs, error, events, steps, factorizations]: [f64; 6] = numbers(
        python
            .command()
            .arg(place.root.join("xtask/python/time_building.py"))
            .arg(folder.join("fmu"))
            .arg(&fmu)
            .args([stop, "600", rounds]),
    )?;
    Ok(vec![
        Figure::new("a building of 80 states, events", events, ""),
        Figure::new(
            "the building, CPU time of FMPy with CVode at 1e-6",
            1e3 * theirs,
            "ms",
        ),
        Figure::new("its largest error", error, "K"),
        Figure::new("the building, CPU time of ours at that error", 1e3 * ours, "ms"),
        Figure::new("the building, ours / FMPy at the same error", ours / theirs, "").at_most(1.0),
        Figure::new("steps of ours at 1e-6", steps, ""),
        Figure::new("factorizations of ours at 1e-6", factorizations, ""),
    ])
}

fn building(place: &Place, headers: &Path, work: &Path) -> Result<PathBuf> {
    let library = work.join("building.so");
    run_quiet(
        "compiling the building",
        Command::new("cc")
            .args([
                "-std=gnu11",
                "-Wall",
                "-Wextra",
                "-Wno-unused-parameter",
                "-O2",
                "-shared",
                "-fPIC",
            ])
            .arg("-I")
            .arg(headers)
            .arg(place.root.join("verification/benches/c/building.c"))
            .arg("-o")
            .arg(&library)
            .arg("-lm"),
        COMPILER,
    )?;
    let code = std::fs::read(&library).map_err(file(&library, "cannot be read"))?;
    let fmu = work.join("Building.fmu");
    pack(
        &fmu,
        &[
            ("modelDescription.xml", description().as_bytes()),
            ("binaries/linux64/building.so", &code),
        ],
    )?;
    Ok(fmu)
}

/// States are variables 1 to n, derivatives follow; air temperatures are outputs.
fn description() -> String {
    let n = ROOMS * PARTS.len();
    let (mut variables, mut outputs, mut derivatives) = (String::new(), String::new(), String::new());
    let name = |state: usize| format!("{}[{}]", PARTS[state % PARTS.len()], state / PARTS.len() + 1);
    for state in 0..n {
        let causality = match state % PARTS.len() {
            0 => "output",
            _ => "local",
        };
        let start = match PARTS[state % PARTS.len()] {
            "outside" => 8.0,
            _ => 16.0 + 0.1 * (state / PARTS.len()) as f64,
        };
        let _ = writeln!(
            variables,
            "<ScalarVariable name=\"{}\" valueReference=\"{state}\" causality=\"{causality}\" \
             variability=\"continuous\" initial=\"exact\"><Real start=\"{start}\"/></ScalarVariable>",
            name(state)
        );
        if causality == "output" {
            let _ = writeln!(outputs, "<Unknown index=\"{}\"/>", state + 1);
        }
    }
    for state in 0..n {
        let _ = writeln!(
            variables,
            "<ScalarVariable name=\"der({})\" valueReference=\"{}\" causality=\"local\" variability=\"continuous\" \
             initial=\"calculated\"><Real derivative=\"{}\"/></ScalarVariable>",
            name(state),
            n + state,
            state + 1
        );
        let _ = writeln!(derivatives, "<Unknown index=\"{}\"/>", n + state + 1);
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"Building\" \
         guid=\"{{building}}\" variableNamingConvention=\"structured\" numberOfEventIndicators=\"{ROOMS}\">\n\
         <ModelExchange modelIdentifier=\"building\"/>\n\
         <DefaultExperiment startTime=\"0\" stopTime=\"172800\" tolerance=\"1e-6\" stepSize=\"600\"/>\n\
         <ModelVariables>\n{variables}</ModelVariables>\n<ModelStructure>\n<Outputs>\n{outputs}</Outputs>\n\
         <Derivatives>\n{derivatives}</Derivatives>\n<InitialUnknowns>\n{derivatives}</InitialUnknowns>\n\
         </ModelStructure>\n</fmiModelDescription>\n"
    )
}
