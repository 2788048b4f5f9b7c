//! `fmu couple`: simulates a system of FMUs.

#[cfg(feature = "aggregate")]
mod aggregate;
mod overrides;
mod report;

use std::cell::RefCell;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use fmu_master::settings::{Advance, Settings};
use fmu_master::system::{AssembleOptions, RunError};
use fmu_master::{System, SystemError};
use fmu_results::table::Sink;

use crate::assign::repeated;
use crate::check::{LimitArguments, with_option};
use crate::cli::Exit;
use crate::files::Files;
use crate::interrupt::interrupted;
use crate::isolate::{Processes, serve_if_asked};
use crate::output::{Output, Rows, Table, cannot_write, is_standard, printable, say, write_file};
use crate::progress::{Bar, Progress, show};
use crate::silence::{is_silent, with_log_option};
use crate::supervise::{Supervision, WatchArguments};
use overrides::Overrides;
use report::{Report, first_warnings};

/// Arguments of `couple`.
#[derive(Debug, Args)]
#[command(after_help = "\
Variables are called COMPONENT.VARIABLE. Without --output, --plot, --graph and --stats the
results go to standard output (unless --trace - does): outputs of all FMUs at all
communication points.

Algorithms: jacobi (all step at the same time) and gauss-seidel (one after another) work with
every FMU; iterated-gauss-seidel and newton repeat steps until loops are closed; stabilized
lets inputs follow a linear model of the other FMUs; aggregate has no communication steps,
but puts FMUs for Model Exchange under one solver (--solver).

With all other algorithms an FMU for Model Exchange steps with an integrator around it
(--solver). For FMUs with both interfaces, --interface chooses one.

Steps end where a table of --input jumps or has a kink; of two rows at the same time the second
one applies from that time on. Inside a step inputs are held, or follow the table with
--extrapolation 1 (and with stabilized and aggregate).

Ctrl-C ends the simulation early: the rows so far are written, and the exit code is 130.

A system file in TOML:
  [simulation]
  stop = 2.0
  step = 0.01
  algorithm = \"gauss-seidel\"

  [components.wheel]
  fmu = \"Wheel.fmu\"
  set = { m = 40.0 }

  [components.chassis]
  fmu = \"Chassis.fmu\"

  [[connections]]
  from = \"wheel.x\"
  to = \"chassis.x_wheel\"

  [[connections]]
  from = \"chassis.f\"
  to = \"wheel.f\"

Examples:
  fmu couple car.toml --advise
  fmu couple car.toml --plot car.svg --graph graph.svg
  fmu couple car.toml --algorithm newton --set wheel.m=45 --record 'wheel.*' --output car.csv
  fmu couple car.ssp --stop 10 --tolerance 1e-4 --stats stats.json")]
pub struct CoupleArguments {
    /// The system: a TOML file as below, or an SSP file (.ssp, .ssd) of any tool.
    #[arg(value_name = "SYSTEM")]
    pub system: PathBuf,
    /// Values that override those of the file.
    #[command(flatten)]
    pub overrides: Overrides,
    /// The folder that is searched first for FMUs, by their file names.
    #[arg(long, value_name = "DIR")]
    pub fmus: Option<PathBuf>,
    /// Proposes an algorithm and a step, with the reasons, instead of simulating.
    #[arg(long, conflicts_with_all = ["output", "plot", "stats", "trace"])]
    pub advise: bool,
    /// Writes the results as comma-separated values; `-` is standard output.
    #[arg(long, value_name = "OUT.CSV")]
    pub output: Option<PathBuf>,
    /// Draws the recorded variables, at most twelve per unit.
    #[arg(long, value_name = "OUT.SVG")]
    pub plot: Option<PathBuf>,
    /// Draws the system: FMUs, connections, feed-through and loops.
    #[arg(long, value_name = "GRAPH.SVG")]
    pub graph: Option<PathBuf>,
    /// Writes the statistics of the run.
    #[arg(long, value_name = "STATS.JSON")]
    pub stats: Option<PathBuf>,
    /// The description to use of an SSP archive that has several, by its name or its file [default: SystemStructure].
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Refuses values whose unit does not fit their variable; otherwise such values are used unchanged, with a warning.
    #[arg(long)]
    pub strict_units: bool,
    /// Ends with an error where the run would start again with new instances (after a discarded step without snapshots).
    #[arg(long)]
    pub no_restart: bool,
    /// Writes a row per step: its size, estimated error (in tolerances) and order, and the rejected tries, iterations and
    /// jumps in it. With --plot it is also drawn, beside the results in OUT.trace.svg.
    #[arg(long, value_name = "STEPS.CSV")]
    pub trace: Option<PathBuf>,
    /// Shows all messages of the FMUs.
    #[arg(long)]
    pub log: bool,
    /// How the FMUs are watched.
    #[command(flatten, next_help_heading = "How the FMUs are watched")]
    pub watch: WatchArguments,
    /// Limits for unpacking archives.
    #[command(flatten, next_help_heading = "Limits for unpacking archives")]
    pub limits: LimitArguments,
}

impl CoupleArguments {
    /// Reads, assembles, initializes, runs.
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        if serve_if_asked()? {
            return Ok(());
        }
        if self.watch.starts_worker()? {
            let tables = [self.table(), self.trace_table()];
            return Supervision::new(tables, self.watch.call_timeout).run();
        }
        let processes = Arc::new(Processes::new());
        let result = self.couple(processes.clone()).map_err(with_option);
        let result = result.map_err(|error| match !self.log && is_silent(&*error) {
            true => with_log_option(error),
            false => error,
        });
        processes.survived(result)
    }

    /// Does the work; all components are freed when it returns.
    fn couple(&self, processes: Arc<Processes>) -> Result<(), Box<dyn Error>> {
        for warning in repeated(&self.overrides.set) {
            say!("warning: {warning}");
        }
        let limits = self.limits.limits();
        let mut system = System::open_variant(&self.system, &limits, self.variant.as_deref())?;
        self.overrides.apply(&mut system)?;
        self.check_files(&system)?;
        self.check_folders()?;
        let options = AssembleOptions::default()
            .fmus(self.fmus.clone())
            .limits(limits)
            .logging(self.log)
            .listener(Arc::new(|message| show(&printable(&message.to_string()))))
            .no_restart(self.no_restart)
            .strict_units(self.strict_units)
            .host(processes);
        if self.advise {
            return advise(system, &options);
        }
        if system.advance == Advance::Aggregate {
            #[cfg(feature = "aggregate")]
            return self.aggregate(&system, &options);
            #[cfg(not(feature = "aggregate"))]
            return Err(
                "this program was built without the feature `aggregate`: choose another algorithm".into(),
            );
        }
        let mut assembled = system.assemble_with(&options).map_err(with_advice)?;
        let idle = self.overrides.idle(
            &system,
            assembled.master.coupling(),
            assembled.has_model_exchange(),
        );
        let noted = assembled.notes.len();
        for note in &assembled.notes {
            say!("note: {}", printable(note));
        }
        let before = [&assembled.warnings, assembled.master.warnings(), &idle].concat();
        for warning in &before {
            say!("warning: {}", printable(warning));
        }
        // Before anything can fail: the picture is what one needs to understand a failure.
        if let Some(path) = &self.graph {
            write_file(path, assembled.diagram.to_svg().as_bytes())?;
        }
        let begin = Instant::now();
        // Notes that are known after initialization are printed once, before the first step.
        let said = Rc::new(RefCell::new(before));
        let heard = said.clone();
        assembled.announce = Some(Box::new(move |warning| {
            let mut heard = heard.borrow_mut();
            if !heard.iter().any(|before| before == warning) {
                say!("warning: {}", printable(warning));
                heard.push(warning.to_owned());
            }
        }));
        let ran = self.stream(&system, |sink, steps, go_on| match steps {
            Some(steps) => assembled.run_traced(sink, steps, go_on),
            None => assembled.run(sink, go_on),
        });
        assembled.announce = None;
        for note in &assembled.notes[noted..] {
            say!("note: {}", printable(note));
        }
        let after = assembled.warnings.iter().chain(assembled.master.warnings());
        let said = said.take();
        for warning in after.filter(|warning| !said.contains(warning)) {
            say!("warning: {}", printable(warning));
        }
        if ran.as_ref().is_err_and(|error| is_read_no_more(&**error)) {
            return ran.map(drop);
        }
        first_warnings(assembled.master.statistics());
        let report = Report {
            system: &system,
            master: &assembled.master,
            notes: &assembled.notes,
            elapsed: begin.elapsed(),
            end: ran.as_ref().map_err(ToString::to_string),
        };
        if let Some(path) = &self.stats {
            write_file(path, format!("{:#}\n", report.json()).as_bytes())?;
        }
        let mut text = Vec::new();
        report.text(&mut text)?;
        say!("{}", printable(String::from_utf8_lossy(&text).trim_end()));
        let end = ran?;
        assembled.master.terminate()?;
        if end == fmu_master::End::Interrupted {
            say!(
                "interrupted at time {}; the results up to there are written",
                assembled.master.time()
            );
            return Err(Exit(130).into());
        }
        Ok(())
    }

    /// Refuses results that would overwrite what the system is made of, or each other.
    fn check_files(&self, system: &System) -> Result<(), String> {
        let mut files = Files::default()
            .reads("the system file", self.system.as_path())
            .reads("the table of --input", self.overrides.input.as_deref());
        for component in &system.components {
            let what = format!("the FMU of {}", component.name);
            let in_folder = self.fmus.as_ref().zip(component.fmu.file_name());
            let in_folder = in_folder.map(|(folder, name)| folder.join(name));
            files = files
                .reads(&what, in_folder.as_deref())
                .reads(&what, component.fmu.as_path());
        }
        for table in &system.tables {
            files = files.reads("a table of inputs", table.as_path());
        }
        let values = system.components.iter().flat_map(|component| &component.values);
        for value in values.chain(&system.values) {
            files = files.reads("a file of the system", value.place.file.as_deref());
        }
        files
            .writes("--output", self.output.as_deref())
            .writes("--plot", self.plot.as_deref())
            .writes("--graph", self.graph.as_deref())
            .writes("--stats", self.stats.as_deref())
            .writes("--trace", self.trace.as_deref())
            .writes_steps(self.trace.as_deref(), self.plot.as_deref())
            .check()
    }

    /// Refuses results in folders that there are not, before the run that would lead to them.
    fn check_folders(&self) -> Result<(), Box<dyn Error>> {
        let all = [&self.output, &self.plot, &self.graph, &self.stats, &self.trace];
        for path in all.into_iter().flatten().filter(|path| !is_standard(path)) {
            let folder = path.parent().unwrap_or(Path::new("")).join(".");
            let found = std::fs::metadata(folder).and_then(|_| match path.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(()),
            });
            found.map_err(|error| cannot_write(Some(path), error))?;
        }
        Ok(())
    }

    /// Where the rows go.
    fn table(&self) -> Table {
        let others = [&self.plot, &self.graph, &self.stats];
        // A trace is about the steps, and no place for the results; both do not fit on standard output.
        let traced_there = self.trace.as_deref().is_some_and(is_standard);
        let nothing_else = !traced_there && others.iter().all(|path| path.is_none());
        let csv = self.output.clone().or_else(|| nothing_else.then(|| "-".into()));
        Table::new(csv, self.plot.clone())
    }

    /// Where a row per step goes.
    fn trace_table(&self) -> Table {
        Table::of_steps(self.trace.as_deref(), self.plot.as_deref())
    }

    /// Runs, and streams the rows to where they belong.
    fn stream<R>(
        &self,
        system: &System,
        run: impl FnOnce(&mut dyn Sink, Option<&mut dyn Sink>, &mut dyn FnMut(f64) -> bool) -> Result<R, RunError>,
    ) -> Result<R, Box<dyn Error>> {
        let mut rows = Rows::new(0, &system.name, self.table());
        let title = format!("{}: steps", system.name);
        let mut steps = self
            .trace
            .as_ref()
            .map(|_| Rows::new(1, &title, self.trace_table()));
        let interrupt = interrupted()?;
        let mut bar = Bar::new(system.settings.start, system.settings.stop);
        let mut hint = hint(system);
        let sink = steps.as_mut().map(|steps| steps as &mut dyn Sink);
        let ran = run(&mut rows, sink, &mut |time| {
            if let Some(progress) = bar.as_mut().and_then(|bar| bar.update(time))
                && let Some(hint) = hint.take_if(|_| takes_long(progress))
            {
                show(&hint);
            }
            !interrupt.load(Ordering::Relaxed)
        });
        drop(bar);
        let ran = ran.map_err(|error| match error {
            RunError::Write(error) => rows.unwritten(error),
            error => rows.with_rest(error),
        });
        let not_finite = rows.not_finite();
        // What was computed before an error is worth as much as the error.
        let finished = rows.finish();
        let traced = steps.map_or(Ok(()), Rows::finish);
        let end = ran?;
        finished?;
        traced?;
        match not_finite {
            Some(sentence) => Err(sentence.into()),
            None => Ok(end),
        }
    }
}

/// Whether the run ended because the reader of the results closed the pipe.
fn is_read_no_more(error: &(dyn Error + 'static)) -> bool {
    let kind = error.downcast_ref().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}

/// An FMU that is not there may be elsewhere.
fn with_advice(error: SystemError) -> Box<dyn Error> {
    let missing = |source: &fmu_importer::Error| matches!(source, fmu_importer::Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound);
    match &error {
        SystemError::Fmu { source, .. } if missing(source) => {
            format!("{error}\n  paths of FMUs are relative to the system file; --fmus DIR names a folder to look in first").into()
        }
        SystemError::Fmu { source, component, .. } if matches!(**source, fmu_importer::Error::OnlyOnce { .. }) => {
            format!("{error}\n  --isolate {component}, or isolated = true in its table, gives it a process of its own").into()
        }
        _ => error.into(),
    }
}

/// What helps where error control takes very many steps: the error of held inputs falls only with the step itself.
fn hint(system: &System) -> Option<String> {
    let settings = &system.settings;
    let stepping = system.advance != Advance::Aggregate;
    (stepping && settings.control.is_some() && settings.extrapolation == 0).then(|| {
        "note: this run takes long: inputs are held over each step (extrapolation = 0), and the number of steps is in inverse \
         proportion to the tolerance. --extrapolation 1 or 2 takes far fewer steps where FMUs can interpolate inputs; so does a \
         larger tolerance"
            .to_owned()
    })
}

/// Whether a run has taken long, and goes on for long.
fn takes_long(progress: Progress) -> bool {
    let seconds = progress.elapsed.as_secs_f64();
    seconds >= 10.0 && seconds > 60.0 * progress.part
}

/// Initializes the system and says what its linear model at the start advises, whatever the file has chosen.
fn advise(mut system: System, options: &AssembleOptions) -> Result<(), Box<dyn Error>> {
    system.loops.clear();
    system.advance = Advance::Stepping;
    let chosen = system.settings;
    let solver = Some(chosen.solver).filter(|solver| solver.is_of_components());
    system.settings = Settings::default()
        .start(chosen.start)
        .stop(chosen.stop)
        .step(chosen.step)
        .interface(chosen.interface)
        .solver(solver.unwrap_or_default())
        .insist(true);
    let mut assembled = system.assemble_with(options).map_err(with_advice)?;
    assembled.master.initialize(&assembled.start)?;
    let advice = assembled.master.advise()?;
    for note in assembled.master.notes() {
        say!("note: {}", printable(note));
    }
    writeln!(Output, "{advice}").map_err(|error| cannot_write(None, error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_run_takes_long_after_ten_seconds_of_more_than_a_minute() {
        let progress = |seconds, part| Progress {
            elapsed: Duration::from_secs(seconds),
            part,
        };
        assert!(!takes_long(progress(9, 0.01)));
        assert!(takes_long(progress(10, 0.01)));
        assert!(!takes_long(progress(10, 0.5)));
        assert!(takes_long(progress(50, 0.8)));
    }
}
