//! `fmu simulate`: runs an FMU, writes what it does, draws it.

mod report;

use std::cell::RefCell;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use clap::{Args, ValueEnum};
use fmu_importer::simulate::{End, Inputs, Interface, Method, SimulateError, Simulation, Summary};
use fmu_importer::{Fmu, InstanceOptions};
use serde_json::json;

use crate::assign::repeated;
use crate::check::LimitArguments;
use crate::cli::Exit;
use crate::files::Files;
use crate::interrupt::interrupted;
use crate::output::{Output, Rows, Table, cannot_write, is_standard, not_finite, printable, say, terminals};
use crate::progress::Bar;
use crate::silence::{is_silent, with_log_option};
use crate::steps::StepTable;
use crate::supervise::{Supervision, WatchArguments};

/// Arguments of `simulate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --output, --plot and --json the results are written to standard output, which is also
the file `-`. In addition to the output points, events are recorded by one row before and one
after.

Solvers: bdf for stiff models and most others; esdirk34 and tr-bdf2 for stiff models with
many events; tsit45 for models that are not stiff; euler and rk4 with a fixed step.

Inputs are a table of comma-separated values: the names in the first line, the time in the
first column. Semicolons may replace commas, numbers have decimal points, and lines that
begin with # are ignored. Continuous inputs are interpolated, all others are
held; two rows with the same time are a jump. Before its first and after its last row a table is
constant. Items of enumerations are given by name or number, Booleans as true, false, 1 or 0,
here and with --set.

Ctrl-C ends the simulation early: the rows so far are written, and the exit code is 130.

Examples:
  fmu simulate BouncingBall.fmu --plot ball.svg
  fmu simulate BouncingBall.fmu --set e=0.9 --stop 5 --record h --output ball.csv
  fmu simulate VanDerPol.fmu --solver bdf --tolerance 1e-8 --json --output vdp.csv")]
pub struct SimulateArguments {
    /// The FMU (FMI 2.0), a file or an unpacked folder.
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// What integrates: this command (me) or the FMU (cs) [default: me if the FMU has it].
    #[arg(long, value_enum, value_name = "me|cs", hide_possible_values = true)]
    pub interface: Option<Side>,
    /// Start time [default: as the FMU proposes, or 0].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Stop time [default: as the FMU proposes, or 1 s after the start].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// The time between two recorded points [default: as the FMU proposes, or 500 points].
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// The step of euler and rk4, or between communication points [default: the output step].
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// The relative tolerance; the absolute one is a hundredth of it times the nominal value of each state [default: as
    /// the FMU proposes, or 1e-6].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// The solver for Model Exchange: bdf, esdirk34, tr-bdf2, tsit45, euler or rk4 [default: bdf].
    #[arg(long, value_name = "NAME")]
    pub solver: Option<Method>,
    /// A table of inputs, see below.
    #[arg(long, value_name = "IN.CSV")]
    pub input: Option<PathBuf>,
    /// A start value or a parameter (may be repeated).
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Records variables that match, with `*` and `?` (may be repeated) [default: outputs, or states].
    #[arg(long, value_name = "GLOB")]
    pub record: Vec<String>,
    /// Writes the results as comma-separated values.
    #[arg(long, value_name = "OUT.CSV")]
    pub output: Option<PathBuf>,
    /// Draws the results.
    #[arg(long, value_name = "OUT.SVG")]
    pub plot: Option<PathBuf>,
    /// Writes a row per step: its size, its estimated error as a part of what is tolerated (where the solver adapts its
    /// steps) and its order, and the rejected tries, iterations and events in it. With --plot it is
    /// also drawn, beside the results in OUT.trace.svg.
    #[arg(long, value_name = "STEPS.CSV")]
    pub trace: Option<PathBuf>,
    /// Prints statistics (steps, evaluations, events, time) as JSON.
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

/// Which side integrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// This command.
    Me,
    /// The FMU.
    Cs,
}

pub(crate) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.into())),
        _ => Err("expected NAME=VALUE".into()),
    }
}

impl SimulateArguments {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        let outcome = match self.watch.starts_worker()? {
            true => Supervision::new([self.table(), self.trace_table()], self.watch.call_timeout).run(),
            false => self.simulate(),
        };
        if let Err(error) = &outcome
            && self.json
            && !error.is::<Exit>()
        {
            let value = json!({ "file": self.fmu, "error": error.to_string() });
            // The error counts, whether or not this can be written.
            let _ = writeln!(Output, "{value:#}");
        }
        outcome
    }

    fn simulate(&self) -> Result<(), Box<dyn Error>> {
        Files::default()
            .reads("the FMU", self.fmu.as_path())
            .reads("the table of --input", self.input.as_deref())
            .writes("--json", self.json.then_some("-".as_ref()))
            .writes("--output", self.output.as_deref())
            .writes("--plot", self.plot.as_deref())
            .writes("--trace", self.trace.as_deref())
            .writes_steps(self.trace.as_deref(), self.plot.as_deref())
            .check()?;
        let fmu = &self.limits.open(&self.fmu)?;
        for warning in self.without_effect(fmu).into_iter().chain(repeated(&self.set)) {
            say!("warning: {warning}");
        }
        let interrupt = interrupted()?;
        let simulation = self.simulation(fmu)?.interrupt(interrupt);
        let summary = self.record(fmu, simulation)?;
        for warning in &summary.warnings {
            say!("warning: {}", printable(warning));
        }
        if let Some(first) = &summary.first_warning {
            say!("warning: the FMU returned fmi2Warning: {}", printable(first));
        }
        if self.json {
            let written = report::json(Output, fmu, &summary);
            written.map_err(|error| cannot_write(None, error))?;
        } else {
            let mut text = Vec::new();
            report::text(&mut text, fmu, &summary)?;
            say!("{}", printable(String::from_utf8_lossy(&text).trim_end()));
        }
        if summary.end == End::Interrupted {
            say!(
                "interrupted at time {}; the results up to there are written",
                fmu_results::table::number(summary.time)
            );
            return Err(Exit(130).into());
        }
        match summary.not_finite {
            Some(found) => {
                say!("error: {}", not_finite(&found.variable, found.time, found.value));
                Err(Exit(1).into())
            }
            None => Ok(()),
        }
    }

    /// Options that change nothing, as sentences.
    fn without_effect(&self, fmu: &Fmu) -> Vec<String> {
        let has_model_exchange = fmu.description().model_exchange.is_some();
        let is_slave = self
            .interface
            .map_or(!has_model_exchange, |side| side == Side::Cs);
        let method = self.solver.unwrap_or_default();
        let mut sentences = Vec::new();
        if is_slave && self.solver.is_some() {
            sentences.push("--solver has no effect: in Co-Simulation the FMU integrates".into());
        }
        if !is_slave && method.is_fixed() && self.tolerance.is_some() {
            sentences.push(format!(
                "--tolerance has no effect: the steps of {method} are fixed, and --step makes them smaller"
            ));
        }
        if !is_slave && !method.is_fixed() && self.step.is_some() {
            sentences.push(format!(
                "--step has no effect: the steps of {method} follow from --tolerance, and --output-step chooses what is \
                 recorded"
            ));
        }
        sentences
    }

    fn simulation<'f>(&self, fmu: &'f Fmu) -> Result<Simulation<'f>, Box<dyn Error>> {
        let options = InstanceOptions::new()
            .logging(self.log)
            .on_message(|message| crate::progress::show(&printable(&message.to_string())));
        let mut simulation = Simulation::new(fmu)
            .solver(self.solver.unwrap_or_default())
            .instance(options);
        if let Some(side) = self.interface {
            simulation = simulation.interface(match side {
                Side::Me => Interface::ModelExchange,
                Side::Cs => Interface::CoSimulation,
            });
        }
        type Setter<'f> = fn(Simulation<'f>, f64) -> Simulation<'f>;
        let times: [(Option<f64>, Setter<'f>); 5] = [
            (self.start, Simulation::start),
            (self.stop, Simulation::stop),
            (self.output_step, Simulation::output_step),
            (self.step, Simulation::step),
            (self.tolerance, Simulation::tolerance),
        ];
        for (value, set) in times {
            if let Some(value) = value {
                simulation = set(simulation, value);
            }
        }
        if let Some(path) = &self.input {
            simulation = simulation.inputs(Inputs::read(path)?);
        }
        for (name, value) in &self.set {
            simulation = simulation.set_text(name, value);
        }
        for pattern in &self.record {
            simulation = simulation.record(pattern);
        }
        let default = fmu.description().default_experiment.unwrap_or_default();
        let start = self.start.or(default.start_time).unwrap_or(0.0);
        let stop = self.stop.or(default.stop_time).unwrap_or(start + 1.0);
        // A table that runs down the terminal is progress enough.
        let table_is_watched = self.goes_to_stdout() && terminals().stdout;
        if let Some(mut bar) = Bar::new(start, stop).filter(|_| !table_is_watched) {
            simulation = simulation.progress(move |time| {
                bar.update(time);
            });
        }
        Ok(simulation)
    }

    /// Whether the table is all that was asked for, or asked for by its name.
    fn goes_to_stdout(&self) -> bool {
        match &self.output {
            Some(path) => is_standard(path),
            None => self.plot.is_none() && self.trace.is_none() && !self.json,
        }
    }

    /// Where the rows go.
    fn table(&self) -> Table {
        let csv = match self.goes_to_stdout() {
            true => Some("-".into()),
            false => self.output.clone(),
        };
        Table::new(csv, self.plot.clone())
    }

    /// Where a row per step goes.
    fn trace_table(&self) -> Table {
        Table::of_steps(self.trace.as_deref(), self.plot.as_deref())
    }

    /// Runs it, and streams the rows to where they belong.
    fn record<'f>(&self, fmu: &Fmu, mut simulation: Simulation<'f>) -> Result<Summary, Box<dyn Error>> {
        let mut rows = Rows::new(0, fmu.name(), self.table());
        let steps = match self.trace {
            Some(_) => {
                let title = format!("{}: steps", fmu.name());
                let table = self.trace_table();
                let unwritten = |error| cannot_write(self.trace.as_deref(), error);
                let rows = Rows::new(1, &title, table);
                let steps = StepTable::begin(rows, simulation.estimates_errors()).map_err(unwritten)?;
                let steps = Rc::new(RefCell::new(steps));
                let receiver = Rc::clone(&steps);
                simulation = simulation.steps(move |step| receiver.borrow_mut().add(step));
                Some(steps)
            }
            None => None,
        };
        let summary = simulation.run_into(&mut rows).map_err(|error| match error {
            SimulateError::Write(error) => rows.unwritten(error),
            error if !self.log && is_silent(&error) => with_log_option(rows.with_rest(error)),
            error => rows.with_rest(error),
        });
        // What was computed before an error is worth as much as the error.
        let finished = rows.finish();
        let traced = steps.and_then(Rc::into_inner).map_or(Ok(()), |steps| {
            let (rows, written) = steps.into_inner().end();
            written.map_err(|error| rows.unwritten(error))?;
            rows.finish()
        });
        let summary = summary?;
        finished?;
        traced?;
        Ok(summary)
    }
}
