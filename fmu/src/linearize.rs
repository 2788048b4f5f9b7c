//! `fmu linearize`: A, B, C and D of an FMU around a point of its simulation.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fmu_importer::linearize::{Linearization, Matrix, Style, matrix_market, write_text};
use fmu_importer::simulate::{Inputs, Method, SimulateError, Simulation};
use fmu_importer::{Fmu, InstanceOptions};
use serde_json::{Value, json};

use crate::assign::repeated;
use crate::check::LimitArguments;
use crate::cli::Exit;
use crate::files::Files;
use crate::interrupt::interrupted;
use crate::output::{Output, cannot_write, count, is_standard, make_folder, printable, say, write_file};
use crate::silence::{is_silent, with_log_option};
use crate::supervise::{Supervision, WatchArguments};

/// Arguments of `linearize`.
#[derive(Debug, Args)]
#[command(after_help = "\
The result is dx/dt = A x + B u, y = C x + D u for small deviations: x are the continuous
states, u the continuous inputs, y the continuous outputs. The entries are exact if the FMU
provides directional derivatives, and differences otherwise. Columns are found together
where the declared dependencies allow it; one more call then checks these dependencies.

Ctrl-C ends the command without a result, with the exit code 130.

Examples:
  fmu linearize VanDerPol.fmu
  fmu linearize HeatRod.fmu --at 10 --format matrix-market --output rod")]
pub struct LinearizeArguments {
    /// The FMU (FMI 2.0), a file or an unpacked folder.
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// The time of the linearization; the FMU is simulated up to it [default: the start].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Start time of the simulation [default: as the FMU proposes, or 0].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// A start value or a parameter (may be repeated).
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = crate::simulate::assignment)]
    pub set: Vec<(String, String)>,
    /// A table of inputs, as `fmu simulate` takes it.
    #[arg(long, value_name = "IN.CSV")]
    pub input: Option<PathBuf>,
    /// The relative tolerance of the simulation up to that time.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// The solver of the simulation up to that time.
    #[arg(long, value_name = "NAME", default_value_t)]
    pub solver: Method,
    /// text, json or matrix-market, which writes the files A.mtx to D.mtx [default: text].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub format: Option<Format>,
    /// Writes all entries.
    #[arg(long, conflicts_with = "sparse")]
    pub dense: bool,
    /// Writes only entries where a dependency is declared.
    #[arg(long)]
    pub sparse: bool,
    /// A file, or a folder for matrix-market [default: standard output, which is also `-`, or this folder].
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The same as `--format json`.
    #[arg(long)]
    pub json: bool,
    /// Shows all messages of the FMU.
    #[arg(long)]
    pub log: bool,
    /// How the FMU is watched.
    #[command(flatten, next_help_heading = "How the FMU is watched")]
    pub watch: WatchArguments,
    /// Limits for unpacking the archive.
    #[command(flatten, next_help_heading = "Limits for unpacking the archive")]
    pub limits: LimitArguments,
}

/// Formats of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, with names.
    Text,
    /// For programs, with names.
    Json,
    /// One file per matrix.
    MatrixMarket,
}

/// The files of matrix-market.
const NAMES: [&str; 4] = ["A.mtx", "B.mtx", "C.mtx", "D.mtx"];

impl LinearizeArguments {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        if self.watch.starts_worker()? {
            return Supervision::new([], self.watch.call_timeout).run();
        }
        self.check_files()?;
        let fmu = self.limits.open(&self.fmu)?;
        let linear = match self.linearize(&fmu)? {
            Err(SimulateError::Interrupted { time }) => {
                say!("interrupted at time {time}; nothing is written");
                return Err(Exit(130).into());
            }
            Err(error) if !self.log && is_silent(&error) => return Err(with_log_option(error.into())),
            linear => linear?,
        };
        if let Some(at) = self.at.filter(|at| linear.time < *at) {
            say!(
                "warning: {} ended its simulation at time {}, before {at}: the matrices are those of its end",
                printable(fmu.name()),
                linear.time
            );
        }
        for warning in linear.warnings.iter().chain(&repeated(&self.set)) {
            say!("warning: {}", printable(warning));
        }
        let style = match (self.dense, self.sparse) {
            (true, _) => Style::Dense,
            (_, true) => Style::Sparse,
            _ => Style::Auto,
        };
        match self.format() {
            Format::Text => self.write(&printable(&write_text(&linear, style)))?,
            Format::Json => self.write(&format!("{:#}\n", as_json(&fmu, &linear, style)))?,
            Format::MatrixMarket => self.write_files(&linear, style)?,
        }
        let how = if linear.exact {
            "exact, by"
        } else {
            "differences, by"
        };
        let (call, of_what) = match linear.exact {
            true => ("call", " of fmi2GetDirectionalDerivative"),
            false => ("evaluation", ""),
        };
        let check = match linear.checks {
            0 => "",
            _ => ", one of which checks the declared dependencies",
        };
        let saved = match linear.calls_without_compression {
            most if most == linear.calls => String::new(),
            most => format!(
                "; without the declared dependencies it would take {}",
                count(most, call)
            ),
        };
        say!(
            "{} at t = {}: {}, {}, {}; {how} {}{of_what}{check}{saved}",
            printable(fmu.name()),
            linear.time,
            count(linear.states.len(), "state"),
            count(linear.inputs.len(), "input"),
            count(linear.outputs.len(), "output"),
            count(linear.calls, call),
        );
        Ok(())
    }

    /// Refuses results that would overwrite the FMU or the inputs.
    fn check_files(&self) -> Result<(), String> {
        if let (true, Some(format)) = (self.json, self.format.filter(|format| *format != Format::Json)) {
            let name = format.to_possible_value();
            let name = name.as_ref().map_or("", |value| value.get_name());
            return Err(format!(
                "--json and --format {name} contradict each other: leave one of them out"
            ));
        }
        if self.format() == Format::MatrixMarket && self.output.as_deref().is_some_and(is_standard) {
            return Err(
                "matrix-market is four files: --output must name a folder for them, not standard output"
                    .into(),
            );
        }
        let read = Files::default()
            .reads("the FMU", self.fmu.as_path())
            .reads("the table of --input", self.input.as_deref());
        let written = match self.format() {
            Format::MatrixMarket => {
                let folder = self.folder();
                let files = NAMES.map(|name| folder.join(name));
                files
                    .iter()
                    .fold(read, |all, file| all.writes("--output", file.as_path()))
            }
            _ => read.writes("--output", self.output.as_deref()),
        };
        written.check()
    }

    fn format(&self) -> Format {
        match self.json {
            true => Format::Json,
            false => self.format.unwrap_or(Format::Text),
        }
    }

    /// Where the files of matrix-market go.
    fn folder(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| ".".into())
    }

    fn linearize(&self, fmu: &Fmu) -> Result<Result<Linearization, SimulateError>, Box<dyn Error>> {
        let messages = InstanceOptions::new()
            .logging(self.log)
            .on_message(|message| crate::progress::show(&printable(&message.to_string())));
        let mut simulation = Simulation::new(fmu)
            .solver(self.solver)
            .instance(messages)
            .interrupt(interrupted()?);
        if let Some(tolerance) = self.tolerance {
            simulation = simulation.tolerance(tolerance);
        }
        if let Some(path) = &self.input {
            simulation = simulation.inputs(Inputs::read(path)?);
        }
        for (name, value) in &self.set {
            simulation = simulation.set_text(name, value);
        }
        let proposed = fmu
            .description()
            .default_experiment
            .as_ref()
            .and_then(|default| default.start_time);
        let start = self.start.or(proposed).unwrap_or(0.0);
        let at = self.at.unwrap_or(start);
        if !at.is_finite() {
            return Err(format!("the time to linearize at, {at}, is not a finite number").into());
        }
        Ok(simulation.start(start).linearize(at))
    }

    fn write(&self, text: &str) -> Result<(), Box<dyn Error>> {
        let standard = "-".as_ref();
        write_file(self.output.as_deref().unwrap_or(standard), text.as_bytes())
    }

    fn write_files(&self, linear: &Linearization, style: Style) -> Result<(), Box<dyn Error>> {
        let folder = self.folder();
        make_folder(&folder)?;
        for (name, matrix) in NAMES
            .into_iter()
            .zip([&linear.a, &linear.b, &linear.c, &linear.d])
        {
            let path = folder.join(name);
            write_file(&path, matrix_market(matrix, style).as_bytes())?;
            writeln!(Output, "{}", path.display()).map_err(|error| cannot_write(None, error))?;
        }
        Ok(())
    }
}

fn as_json(fmu: &Fmu, linear: &Linearization, style: Style) -> Value {
    let matrix = |matrix: &Matrix| {
        if style == Style::Sparse {
            let entries: Vec<Value> = matrix
                .iter()
                .map(|(row, column, value)| json!([row, column, value]))
                .collect();
            json!({ "rows": matrix.rows(), "columns": matrix.columns(), "entries": entries })
        } else {
            json!(matrix.dense())
        }
    };
    json!({
        "model": fmu.name(),
        "time": linear.time,
        "states": linear.states,
        "derivatives": linear.derivatives,
        "inputs": linear.inputs,
        "outputs": linear.outputs,
        "x": linear.x,
        "u": linear.u,
        "A": matrix(&linear.a),
        "B": matrix(&linear.b),
        "C": matrix(&linear.c),
        "D": matrix(&linear.d),
        "exact": linear.exact,
        "calls": linear.calls,
        "checks": linear.checks,
        "callsWithoutCompression": linear.calls_without_compression,
        "warnings": linear.warnings,
    })
}
