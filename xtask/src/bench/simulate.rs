//! Simulation: a stiff oscillator and a building with many events against FMPy, the solver's choices on published
//! problems, and a banded model with its Lyapunov equation, dense against sparse.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::importer::numbers;
use super::{Figure, building};
use crate::chore::{Place, Result, file, pack, run_quiet};
use crate::driver::COMPILER;
use crate::python::Python;

/// All figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench/simulate")?;
    let python = Python::ensure(place)?;
    // A short run takes what the tests have built anyway.
    let wanted: &[&str] = if smoke {
        &["--workspace", "--test", "simulate"]
    } else {
        &["--release", "-p", "fmu", "-p", "importer-bench"]
    };
    run_quiet(
        "building the command and the benchmark",
        Command::new(env!("CARGO"))
            .current_dir(&place.root)
            .args(["build", "--quiet", "--bin", "fmu", "--bin", "importer-bench"])
            .args(wanted),
        "install a Rust toolchain",
    )?;
    let folder = place.target.join(if smoke { "debug" } else { "release" });
    let mut figures = van_der_pol(place, &python, &folder.join("fmu"), &work, smoke)?;
    figures.extend(building::measure(place, &python, &folder, &work, smoke)?);
    figures.extend(lyapunov(
        place,
        &python,
        &folder.join("importer-bench"),
        &work,
        smoke,
    )?);
    Ok(figures)
}

fn van_der_pol(place: &Place, python: &Python, fmu: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    run_quiet(
        "packaging the Van der Pol oscillator",
        Command::new(std::env::current_exe().unwrap_or_else(|_| "cargo-xtask".into()))
            .current_dir(&place.root)
            .args(["package-fmu", "van-der-pol", "--out"])
            .arg(work),
        "run it as `cargo xtask bench`",
    )?;
    let (mu, stop, rounds) = if smoke {
        ("10", "20", "1")
    } else {
        ("1000", "2000", "5")
    };
    let [ours, theirs, our_process, their_process, our_error, their_error]: [f64; 6] = numbers(
        python
            .command()
            .arg(place.root.join("xtask/python/time_van_der_pol.py"))
            .arg(fmu)
            .arg(work.join("VanDerPol.fmu"))
            .args([mu, stop, "1e-6", rounds]),
    )?;
    Ok(vec![
        Figure::new("Van der Pol, the simulation alone, ours", 1e3 * ours, "ms"),
        Figure::new("Van der Pol, the simulation alone, FMPy", 1e3 * theirs, "ms"),
        Figure::new("the simulation alone, ours / FMPy", ours / theirs, "").at_most(0.1),
        Figure::new("the whole process, ours", 1e3 * our_process, "ms"),
        Figure::new("the whole process, FMPy", 1e3 * their_process, "ms"),
        Figure::new("largest error, ours", 1e6 * our_error, "1e-6"),
        Figure::new("largest error, FMPy", 1e6 * their_error, "1e-6"),
        Figure::new("largest error, ours / FMPy", our_error / their_error, "").at_most(1.0),
    ])
}

fn lyapunov(place: &Place, python: &Python, bench: &Path, work: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let headers = python.fmi_headers()?;
    let run = |cells: usize, matrices: &str, stop: &str| -> Result<[f64; 5]> {
        let fmu = column(place, &headers, work, cells)?;
        numbers(
            Command::new(bench)
                .arg("lyapunov")
                .arg(fmu)
                .args([matrices, stop]),
        )
    };
    // Without optimization a small one shows that all works.
    let (small, large, stop) = if smoke {
        (2, None, "0.2")
    } else {
        (14, Some(70), "2")
    };
    let (dense, sparse) = (run(small, "dense", stop)?, run(small, "sparse", stop)?);
    let (dense_calls, sparse_calls) = (dense[2] / dense[3], sparse[2] / sparse[3]);
    let what = format!("{} states, {} unknowns", 2 + 2 * small, dense[0]);
    let mut figures = vec![
        Figure::new(format!("{what}, dense, no compression"), dense[1], "s"),
        Figure::new(format!("{what}, sparse, compressed"), sparse[1], "s"),
        Figure::new("time, sparse / dense (published: 0.04)", sparse[1] / dense[1], "").at_most(0.04),
        // A row of a cell has four entries, so columns alone could not be found in fewer than 4 calls of the 31 that A
        // and B take one by one. Two of the four, and B, are transport with constant factors, which the declared kinds
        // of dependence let be known from the first matrix on: 3 calls of 31 are left.
        Figure::new(
            "calls per step, compressed / not (published: 0.1)",
            sparse_calls / dense_calls,
            "",
        )
        .at_most(0.1),
        Figure::new(
            "end of the column, sparse - dense",
            (sparse[4] - dense[4]).abs(),
            "",
        )
        .at_most(1e-4),
    ];
    if let Some(cells) = large {
        let [unknowns, seconds, calls, steps, _] = run(cells, "sparse", stop)?;
        let what = format!("{} states, {unknowns} unknowns", 2 + 2 * cells);
        figures.push(Figure::new(format!("{what}, sparse"), seconds, "s").at_most(60.0));
        figures.push(Figure::new(format!("{what}, calls per step"), calls / steps, ""));
    }
    Ok(figures)
}

/// The FMU of a column with so many cells.
fn column(place: &Place, headers: &Path, work: &Path, cells: usize) -> Result<PathBuf> {
    let library = work.join(format!("column{cells}.so"));
    run_quiet(
        "compiling the column",
        Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-O2", "-shared", "-fPIC", "-I"])
            .arg(headers)
            .arg(format!("-DCELLS={cells}"))
            .arg(place.root.join("verification/benches/c/column.c"))
            .arg("-o")
            .arg(&library),
        COMPILER,
    )?;
    let code = std::fs::read(&library).map_err(file(&library, "cannot be read"))?;
    let fmu = work.join(format!("Column{cells}.fmu"));
    pack(
        &fmu,
        &[
            ("modelDescription.xml", description(cells).as_bytes()),
            ("binaries/linux64/column.so", &code),
        ],
    )?;
    Ok(fmu)
}

/// u is variable 1, states are 2 to 1 + n, derivatives follow.
fn description(cells: usize) -> String {
    let n = 2 + 2 * cells;
    let (mut variables, mut derivatives) = (String::new(), String::new());
    let name = |state: usize| match state {
        0 => "m1".to_owned(),
        1 => "m2".to_owned(),
        state if state % 2 == 0 => format!("c[{}]", state / 2),
        state => format!("q[{}]", state / 2),
    };
    let scalar = |name: String, reference: usize, attributes: &str, real: String| {
        format!(
            "<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" {attributes}><Real{real}/></ScalarVariable>\n"
        )
    };
    variables += &scalar(
        "u".into(),
        0,
        "causality=\"input\" variability=\"continuous\"",
        " start=\"0\"".into(),
    );
    for state in 0..n {
        let attributes = "causality=\"local\" variability=\"continuous\" initial=\"exact\"";
        variables += &scalar(name(state), 1 + state, attributes, " start=\"0\"".into());
    }
    for state in 0..n {
        let attributes = "causality=\"local\" variability=\"continuous\" initial=\"calculated\"";
        let derivative = format!(" derivative=\"{}\"", 2 + state);
        variables += &scalar(
            format!("der({})", name(state)),
            1 + n + state,
            attributes,
            derivative,
        );
        // Tanks and transport are linear, adsorption is not.
        let (linear, other) = ("constant", "dependent");
        let depends: Vec<(usize, &str)> = match state {
            0 => vec![(1, linear), (2, linear)],
            1 => vec![(2, linear), (3, linear)],
            state if state % 2 == 1 => vec![(1 + state, other), (2 + state, other)],
            state => {
                // The cell before (the tank for the first one), its own two states, the cell behind.
                let before = (if state == 2 { 3 } else { state }, linear);
                let behind = (state + 2 < n).then_some((4 + state, linear));
                let own = [(2 + state, other), (3 + state, other)];
                [before].into_iter().chain(own).chain(behind).collect()
            }
        };
        let indices: Vec<String> = depends.iter().map(|(index, _)| index.to_string()).collect();
        let kinds: Vec<&str> = depends.iter().map(|(_, kind)| *kind).collect();
        let _ = writeln!(
            derivatives,
            "<Unknown index=\"{}\" dependencies=\"{}\" dependenciesKind=\"{}\"/>",
            2 + n + state,
            indices.join(" "),
            kinds.join(" ")
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"Column\" \
         guid=\"{{column}}\" numberOfEventIndicators=\"0\">\n<ModelExchange modelIdentifier=\"column\" \
         providesDirectionalDerivative=\"true\"/>\n<ModelVariables>\n{variables}</ModelVariables>\n<ModelStructure>\n\
         <Derivatives>\n{derivatives}</Derivatives>\n</ModelStructure>\n</fmiModelDescription>\n"
    )
}
