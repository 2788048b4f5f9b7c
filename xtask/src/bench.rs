//! `cargo xtask bench`: the figures that this workspace promises, measured; each with its limit.

mod aggregate;
mod build;
mod building;
mod callgrind;
mod container;
mod cosim;
mod coupling;
mod derivatives;
mod fmi3;
mod heat_rod;
mod importer;
mod model_exchange;
mod race;
mod simulate;
mod supervise;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, file, heading, run_shown};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The benchmarks to run [default: all].
    #[arg(value_name = "NAME", value_parser = ["model-exchange", "build", "heat-rod", "derivatives", "cosim", "importer", "simulate", "coupling", "aggregate", "supervise", "fmi3"])]
    names: Vec<String>,
    /// Makes short runs that only show that the benchmarks work; limits are not enforced.
    #[arg(long)]
    smoke: bool,
}

/// One measured figure.
#[derive(Debug)]
pub struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    /// The limit of the value; `None` for information only.
    limit: Option<f64>,
}

impl Figure {
    fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Figure {
        Figure {
            what: what.into(),
            value,
            unit,
            limit: None,
        }
    }

    fn at_most(self, limit: f64) -> Figure {
        Figure {
            limit: Some(limit),
            ..self
        }
    }

    fn holds(&self) -> bool {
        self.limit.is_none_or(|limit| self.value <= limit)
    }
}

/// A benchmark: gives its figures; the flag asks for a short run.
type Benchmark = fn(&Place, bool) -> Result<Vec<Figure>>;

const BENCHMARKS: &[(&str, &str, Benchmark)] = &[
    (
        "model-exchange",
        "Van der Pol through the C interface, against plain C",
        model_exchange::measure,
    ),
    ("build", "a cold build of the bouncing ball", build::measure),
    ("heat-rod", "the heat rod with 10 000 cells", heat_rod::measure),
    (
        "derivatives",
        "exact derivatives: ratios of instructions, and the tracing of dependencies",
        derivatives::measure,
    ),
    (
        "cosim",
        "co-simulation: communication points, a stiff rod, fixed steps against plain C",
        cosim::measure,
    ),
    (
        "importer",
        "the importer: a long description against FMPy, and calls against plain C",
        importer::measure,
    ),
    (
        "simulate",
        "simulation: a stiff oscillator and a building against FMPy, a Lyapunov equation beside an FMU",
        simulate::measure,
    ),
    (
        "coupling",
        "coupled FMUs: pairs against plain C and fmucontainer, a mesh, a ring of a thousand",
        coupling::measure,
    ),
    (
        "aggregate",
        "many FMUs under one solver, against the same system in one FMU",
        aggregate::measure,
    ),
    (
        "supervise",
        "processes: a watched run against one in a single process, and calls of isolated FMUs",
        supervise::measure,
    ),
    (
        "fmi3",
        "FMI 3.0: loops against plain C and FMI 2.0, adjoint derivatives against one evaluation, sizes, build times",
        fmi3::measure,
    ),
];

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = if self.holds() { "" } else { "  <- beyond" };
        write!(f, "{:<58} {:>10.3} {:<7}", self.what, self.value, self.unit)?;
        match self.limit {
            Some(limit) => write!(f, " at most {limit}{verdict}"),
            None => Ok(()),
        }
    }
}

/// Runs the benchmarks; each shows its figures when it has them.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let mut beyond = 0;
    for (name, title, measure) in BENCHMARKS {
        if !arguments.names.is_empty() && !arguments.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        heading(title);
        for figure in measure(&place, arguments.smoke)? {
            println!("{figure}");
            beyond += usize::from(!figure.holds());
        }
    }
    match beyond {
        0 => Ok(()),
        _ if arguments.smoke => Ok(()),
        beyond => Err(Error::Figures(beyond)),
    }
}

/// Packages a crate of the workspace in `directory` with this very program, and returns the FMU.
fn package(directory: &Path, crate_name: &str, out: &Path, target: Option<&Path>) -> Result<PathBuf> {
    package_with(directory, crate_name, &[], out, target)
}

/// The same with further options of `package-fmu`; of several FMUs, the last one.
fn package_with(
    directory: &Path,
    crate_name: &str,
    options: &[&str],
    out: &Path,
    target: Option<&Path>,
) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(|source| Error::Start {
        program: "cargo xtask".to_owned(),
        source,
    })?;
    let mut command = Command::new(own);
    command
        .current_dir(directory)
        .args(["package-fmu", crate_name])
        .args(options)
        .arg("--out")
        .arg(out);
    if let Some(target) = target {
        command.env("CARGO_TARGET_DIR", target);
    }
    let (status, lines) = run_shown(&mut command, "run it as `cargo xtask bench`")?;
    let fmu = lines.last().map(PathBuf::from).filter(|path| path.is_file());
    match fmu {
        Some(fmu) if status.success() => Ok(fmu),
        _ => Err(Error::Failed {
            what: format!("packaging {crate_name}"),
            detail: status.to_string(),
        }),
    }
}

/// Creates a crate that uses the runtime and some examples, and returns its folder.
fn lay_out(place: &Place, name: &str, examples: &[&str], library: &str) -> Result<PathBuf> {
    let folder = place.folder(&format!("bench/{name}"))?;
    place.folder(&format!("bench/{name}/src"))?;
    let root = place.root.to_string_lossy();
    let mut manifest = format!(
        r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"
license = "MIT OR Apache-2.0"

[workspace]

[package.metadata.fmu]

[dependencies]
fmu-runtime = {{ path = "{root}/fmu-runtime" }}
"#
    );
    for example in examples {
        manifest += &format!("{example} = {{ path = \"{root}/examples/{example}\" }}\n");
    }
    let write =
        |path: PathBuf, bytes: &[u8]| std::fs::write(&path, bytes).map_err(file(&path, "cannot be written"));
    write(folder.join("Cargo.toml"), manifest.as_bytes())?;
    write(folder.join("src/lib.rs"), library.as_bytes())?;
    // The versions that the workspace uses, so that nothing needs to be asked of a registry.
    let lock =
        std::fs::read(place.root.join("Cargo.lock")).map_err(file(&place.root, "has no Cargo.lock"))?;
    write(folder.join("Cargo.lock"), &lock)?;
    Ok(folder)
}
