//! `cargo xtask bench`: the figures that this workspace promises, measured; each with its limit.

mod build;
mod heat_rod;
mod model_exchange;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, heading, run_shown};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The benchmarks to run [default: all].
    #[arg(value_name = "NAME", value_parser = ["model-exchange", "build", "heat-rod"])]
    names: Vec<String>,
    /// Short runs that show that the benchmarks work; their times mean little and no limit is enforced.
    #[arg(long)]
    smoke: bool,
}

/// One measured figure.
#[derive(Debug)]
pub struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    /// The value must not be above it; none where it is told for information.
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

/// Runs the benchmarks and prints the table.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let wanted =
        |name: &str| arguments.names.is_empty() || arguments.names.iter().any(|wanted| wanted == name);
    let mut figures = Vec::new();
    if wanted("model-exchange") {
        heading("Van der Pol through the C interface, against plain C");
        figures.extend(model_exchange::measure(&place, arguments.smoke)?);
    }
    if wanted("build") {
        heading("a cold build of the bouncing ball");
        figures.extend(build::measure(&place, arguments.smoke)?);
    }
    if wanted("heat-rod") {
        heading("the heat rod with 10 000 cells");
        figures.extend(heat_rod::measure(&place)?);
    }
    heading("figures");
    for figure in &figures {
        let limit = figure
            .limit
            .map_or(String::new(), |limit| format!("at most {limit}"));
        let verdict = if figure.holds() { "" } else { "  <- beyond" };
        println!(
            "{:<58} {:>10.3} {:<13} {limit}{verdict}",
            figure.what, figure.value, figure.unit
        );
    }
    match figures.iter().filter(|figure| !figure.holds()).count() {
        0 => Ok(()),
        _ if arguments.smoke => Ok(()),
        beyond => Err(Error::Figures(beyond)),
    }
}

/// Packages a crate of the workspace in `directory` with this very program, and answers the FMU.
fn package(directory: &Path, crate_name: &str, out: &Path, target: Option<&Path>) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(|source| Error::Start {
        program: "cargo xtask".to_owned(),
        source,
    })?;
    let mut command = Command::new(own);
    command
        .current_dir(directory)
        .args(["package-fmu", crate_name, "--out"])
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
