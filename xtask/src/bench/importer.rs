//! The importer: a long description against FMPy, and calls of a slave against plain C.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Figure;
use crate::chore::{Error, Place, Result, file, pack, run_quiet};
use crate::driver::COMPILER;
use crate::python::Python;

/// Both figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench/importer")?;
    let python = Python::ensure(place)?;
    // A short run takes what the tests have built anyway; a long one leaves out what it does not measure.
    let profile: &[&str] = match smoke {
        true => &["--workspace", "--test", "simulate"],
        false => &["--release", "-p", "importer-bench"],
    };
    run_quiet(
        "building the benchmark",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .args(["build", "--quiet", "--bin", "importer-bench"])
            .args(profile),
        "install a Rust toolchain",
    )?;
    let folder = if smoke { "debug" } else { "release" };
    let bench = place.target.join(folder).join("importer-bench");
    let mut figures = description(place, &python, &bench, &work, smoke)?;
    figures.extend(steps(place, &python, &bench, &work, smoke)?);
    Ok(figures)
}

fn description(
    place: &Place,
    python: &Python,
    bench: &Path,
    work: &Path,
    smoke: bool,
) -> Result<Vec<Figure>> {
    let variables = if smoke { 2_000 } else { 100_000 };
    let fmu = work.join("Long.fmu");
    pack(
        &fmu,
        &[("modelDescription.xml", long_description(variables).as_bytes())],
    )?;

    let rounds = if smoke { "1" } else { "10" };
    let ours = numbers(Command::new(bench).arg("open").arg(&fmu).arg(rounds))?;
    let theirs = numbers(
        python
            .command()
            .arg(place.root.join("xtask/python/time_description.py"))
            .arg(&fmu),
    )?;
    let ([best, memory], [fmpy, validated]) = (ours, theirs);
    let what = format!("reading {variables} variables");
    Ok(vec![
        Figure::new(format!("{what}, ours"), 1e3 * best, "ms"),
        Figure::new(format!("{what}, FMPy without validation"), 1e3 * fmpy, "ms"),
        Figure::new(format!("{what}, FMPy with validation"), 1e3 * validated, "ms"),
        Figure::new("processor time, ours / FMPy without validation", best / fmpy, "").at_most(0.1),
        Figure::new("memory of the whole process, ours", memory / 1e6, "MB").at_most(200.0),
    ])
}

fn steps(place: &Place, python: &Python, bench: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let headers = python.fmi_headers()?;
    let compile = |name: &str| compile(place, &headers, work, name);
    let (slave, plain_c) = (compile("tunable_dahlquist")?, compile("slave_loop")?);
    let library = std::fs::read(&slave).map_err(file(&slave, "cannot be read"))?;
    let fmu = work.join("TunableDahlquist.fmu");
    pack(
        &fmu,
        &[
            ("modelDescription.xml", DAHLQUIST.as_bytes()),
            ("binaries/linux64/tunable_dahlquist.so", &library),
        ],
    )?;

    // A process lays out its memory by chance, which is worth some percent.
    let (processes, rounds, count) = if smoke {
        (1, "5", "1000")
    } else {
        (15, "101", "20000")
    };
    let mut races = Vec::new();
    for _ in 0..processes {
        let race: [f64; 3] = numbers(
            Command::new(bench)
                .arg("race")
                .args([&fmu, &plain_c])
                .args([rounds, count]),
        )?;
        races.push(race);
    }
    let median = |pick: fn(&[f64; 3]) -> f64| {
        let mut values: Vec<f64> = races.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Ok(vec![
        Figure::new(
            "fmi2SetReal, fmi2DoStep, fmi2GetReal, ours",
            median(|race| race[0]),
            "ns",
        ),
        Figure::new(
            "fmi2SetReal, fmi2DoStep, fmi2GetReal, plain C",
            median(|race| race[1]),
            "ns",
        ),
        Figure::new("time, ours / plain C", median(|race| race[2]), "").at_most(1.2),
    ])
}

/// Compiles a file of `verification/benches/c` to a library.
pub(super) fn compile(place: &Place, headers: &Path, work: &Path, name: &str) -> Result<PathBuf> {
    let product = work.join(format!("{name}.so"));
    run_quiet(
        "compiling the C baseline",
        Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-O2", "-shared", "-fPIC", "-I"])
            .arg(headers)
            .arg(place.root.join(format!("verification/benches/c/{name}.c")))
            .arg("-o")
            .arg(&product)
            .args(["-ldl", "-lm"]),
        COMPILER,
    )?;
    Ok(product)
}

/// Runs a program that prints so many numbers.
pub(super) fn numbers<const N: usize>(command: &mut Command) -> Result<[f64; N]> {
    let numbers = numbers_of(command)?;
    let detail = format!("{numbers:?}");
    numbers.try_into().map_err(|_| Error::Failed {
        what: "reading the times".to_owned(),
        detail,
    })
}

/// Runs a program that prints numbers.
pub(super) fn numbers_of(command: &mut Command) -> Result<Vec<f64>> {
    let printed = run_quiet("measuring", command, COMPILER)?;
    let words = printed.split_whitespace();
    Ok(words.filter_map(|word| word.parse().ok()).collect())
}

/// A chain of cells: of five variables one is a state, one its derivative, one a parameter, one a counter, one an
/// output that depends on three states.
fn long_description(variables: usize) -> String {
    let cells = variables / 5;
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"Long\" \
         guid=\"{long}\" variableNamingConvention=\"structured\" numberOfEventIndicators=\"0\">\n<ModelExchange \
         modelIdentifier=\"Long\"/>\n<UnitDefinitions><Unit name=\"K\"><BaseUnit K=\"1\"/></Unit></UnitDefinitions>\n\
         <ModelVariables>\n",
    );
    let (mut outputs, mut derivatives, mut initial) = (String::new(), String::new(), String::new());
    for cell in 0..cells {
        let first = 5 * cell + 1;
        let (n, reals) = (cell + 1, 4 * cell);
        let _ = writeln!(
            text,
            "<ScalarVariable name=\"wall.cell[{n}].T\" valueReference=\"{reals}\" description=\"Temperature of cell {n}\" \
             causality=\"local\" variability=\"continuous\" initial=\"exact\"><Real quantity=\"Temperature\" unit=\"K\" \
             start=\"293.15\" nominal=\"300\"/></ScalarVariable>\n\
             <ScalarVariable name=\"der(wall.cell[{n}].T)\" valueReference=\"{}\" causality=\"local\" \
             variability=\"continuous\" initial=\"calculated\"><Real derivative=\"{first}\"/></ScalarVariable>\n\
             <ScalarVariable name=\"wall.cell[{n}].c\" valueReference=\"{}\" description=\"Heat capacity\" \
             causality=\"parameter\" variability=\"tunable\" initial=\"exact\"><Real start=\"{cell}.5\" min=\"0\"/>\
             </ScalarVariable>\n\
             <ScalarVariable name=\"wall.cell[{n}].count\" valueReference=\"{cell}\" causality=\"local\" \
             variability=\"discrete\" initial=\"exact\"><Integer start=\"0\"/></ScalarVariable>\n\
             <ScalarVariable name=\"wall.cell[{n}].q\" valueReference=\"{}\" description=\"Heat flow &lt;W&gt;\" \
             causality=\"output\" variability=\"continuous\" initial=\"calculated\"><Real/></ScalarVariable>",
            reals + 1,
            reals + 2,
            reals + 3,
        );
        let neighbours = [
            cell.checked_sub(1),
            Some(cell),
            Some(cell + 1).filter(|next| *next < cells),
        ];
        let neighbours: Vec<String> = neighbours
            .into_iter()
            .flatten()
            .map(|cell| (5 * cell + 1).to_string())
            .collect();
        let depends = neighbours.join(" ");
        let _ = writeln!(
            outputs,
            "<Unknown index=\"{}\" dependencies=\"{depends}\"/>",
            first + 4
        );
        let _ = writeln!(
            derivatives,
            "<Unknown index=\"{}\" dependencies=\"{depends}\"/>",
            first + 1
        );
        for unknown in [first + 1, first + 4] {
            let _ = writeln!(
                initial,
                "<Unknown index=\"{unknown}\" dependencies=\"{depends}\"/>"
            );
        }
    }
    let _ = write!(
        text,
        "</ModelVariables>\n<ModelStructure>\n<Outputs>\n{outputs}</Outputs>\n<Derivatives>\n{derivatives}</Derivatives>\n\
         <InitialUnknowns>\n{initial}</InitialUnknowns>\n</ModelStructure>\n</fmiModelDescription>\n"
    );
    text
}

/// The description of `verification/benches/c/tunable_dahlquist.c`.
const DAHLQUIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="tunable_dahlquist" guid="{tunable-dahlquist}">
  <CoSimulation modelIdentifier="tunable_dahlquist" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output" variability="continuous" initial="exact">
      <Real start="1"/>
    </ScalarVariable>
    <ScalarVariable name="k" valueReference="1" causality="parameter" variability="tunable" initial="exact">
      <Real start="1"/>
    </ScalarVariable>
    <ScalarVariable name="time" valueReference="2" causality="independent" variability="continuous"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"#;
