//! A whole run: initialization, steps, and rows for a sink; again with new instances where that helps.

use std::io;

use fmu_results::table::{Sink, Values};

use super::super::SystemError;
use super::Assembled;
use crate::again::Remedy;
use crate::trace::Trace;
use crate::{End, Error};

/// Why a run ended before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The coupled simulation.
    #[error(transparent)]
    Master(#[from] Error),
    /// A run that starts again cannot be assembled.
    #[error(transparent)]
    System(#[from] SystemError),
    /// Results cannot be written.
    #[error("cannot write results: {0}")]
    Write(#[from] io::Error),
}

/// The rows that an earlier attempt has handed out: they cannot be taken back.
#[derive(Default)]
struct Written {
    until: Option<f64>,
    /// The values of the last one of them.
    last: Option<Values>,
    /// A later attempt has other values there.
    differs: bool,
}

impl Assembled {
    /// Whether a component steps through Model Exchange, with an integrator around it.
    pub fn has_model_exchange(&self) -> bool {
        self.maker.has_model_exchange()
    }

    /// Initializes and simulates to the stop time. Each communication point is a row for `sink`, as it comes, and is then passed
    /// to `go_on`, which may end the simulation there with false.
    ///
    /// Where a component makes it necessary, the run starts again with new instances (see [`Remedy`]); rows that were
    /// handed out are not handed out again.
    ///
    /// ```no_run
    /// use fmu_master::System;
    ///
    /// let mut car = System::open("quarter-car.toml")?.assemble()?;
    /// let mut table = fmu_results::table::CsvWriter::new(std::io::stdout());
    /// car.run(&mut table, |_time| true)?;
    /// println!("{} steps", car.master.statistics().steps);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(&mut self, sink: &mut dyn Sink, go_on: impl FnMut(f64) -> bool) -> Result<End, RunError> {
        self.run_with(sink, None, go_on)
    }

    /// The same, with a row per step for `steps` (see [`Trace`]).
    pub fn run_traced(
        &mut self,
        sink: &mut dyn Sink,
        steps: &mut dyn Sink,
        go_on: impl FnMut(f64) -> bool,
    ) -> Result<End, RunError> {
        self.run_with(sink, Some(steps), go_on)
    }

    fn run_with(
        &mut self,
        sink: &mut dyn Sink,
        steps: Option<&mut dyn Sink>,
        mut go_on: impl FnMut(f64) -> bool,
    ) -> Result<End, RunError> {
        sink.begin(self.recorder.columns())?;
        let mut traced = steps.map(|steps| (steps, Trace::new(self.master.settings())));
        if let Some((steps, trace)) = &mut traced {
            steps.begin(trace.columns())?;
        }
        let mut written = Written::default();
        let mut tried: Vec<Remedy> = Vec::new();
        let mut discarded: Option<Error> = None;
        loop {
            let ended = self.attempt(sink, &mut traced, &mut written, &mut go_on);
            let (remedy, cause) = match &ended {
                Err(RunError::Master(error)) => (error.remedy(), error.to_string()),
                Ok(End::Terminated { component, .. }) => (
                    self.master.remedy(),
                    format!("{component} ended the simulation inside a step"),
                ),
                _ => (None, String::new()),
            };
            let remedy = remedy.filter(|remedy| !tried.contains(remedy)).cloned();
            let Some(remedy) = remedy.filter(|_| self.maker.restarts()) else {
                self.note_differences(&written);
                let new = self.master.notes().iter();
                let new: Vec<String> = new.filter(|note| !self.notes.contains(note)).cloned().collect();
                self.notes.extend(new);
                return ended.map_err(|error| explained(error, discarded, self.maker.restarts()));
            };
            // What a person knows of the first attempt, without what is wrong with not starting again.
            let cause = cause.split(". ").next().unwrap_or(&cause);
            self.notes
                .push(format!("{cause}: the run starts again {}", remedy.note()));
            if let Err(RunError::Master(error @ Error::Discarded { .. })) = ended {
                discarded = Some(error);
            }
            written.last = Some(self.recorder.values().clone());
            self.master.dismiss();
            self.maker.learn(&remedy);
            let components = self.maker.make()?;
            self.master.start_again(components, &remedy)?;
            tried.push(remedy);
        }
    }

    /// From initialization to the end, or as far as it comes.
    fn attempt(
        &mut self,
        sink: &mut dyn Sink,
        traced: &mut Option<(&mut dyn Sink, Trace)>,
        written: &mut Written,
        go_on: &mut impl FnMut(f64) -> bool,
    ) -> Result<End, RunError> {
        if let Some((_, trace)) = traced {
            trace.begin();
        }
        self.master.initialize(&self.start)?;
        if let Some(announce) = &mut self.announce {
            self.master
                .warnings()
                .iter()
                .for_each(|warning| announce(warning));
        }
        let mut failed = None;
        let recorder = &mut self.recorder;
        let handed_out = written.until;
        let end = self.master.run_with(|master| {
            let time = master.time();
            if let Some((steps, trace)) = traced
                && let Some(step) = trace.read(master)
                && handed_out.is_none_or(|until| time > until)
                && let Err(error) = steps.row(&step)
            {
                failed = Some(error.into());
                return false;
            }
            if handed_out.is_some_and(|until| time < until) {
                return go_on(time);
            }
            let recorded = recorder.read(master).map_err(RunError::from).and_then(|row| {
                match handed_out == Some(time) {
                    true => written.differs |= written.last.as_ref().is_none_or(|last| !row.has(last)),
                    false => sink.row(&row)?,
                }
                Ok(())
            });
            written.until = Some(time);
            match recorded {
                Ok(()) => go_on(time),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        })?;
        failed.map_or(Ok(end), Err)
    }

    fn note_differences(&mut self, written: &Written) {
        if written.differs {
            self.warnings.push(
                "the run that started again has other values than the one before it: the first rows are those of the \
                 first attempt"
                    .to_owned(),
            );
        }
    }
}

/// An error with what is known of the attempts to avoid it.
fn explained(error: RunError, discarded: Option<Error>, restarts: bool) -> RunError {
    let RunError::Master(error) = error else {
        return error;
    };
    let why = match (&error, restarts) {
        (Error::Snapshot { .. }, true) => format!("It cannot be repeated with a smaller step: {error}"),
        (Error::Discarded { remedy: Some(_), .. }, false) => {
            "A run that starts again could repeat it with a smaller step, but must not (--no-restart)"
                .to_owned()
        }
        _ => return error.into(),
    };
    let mut shown = discarded.unwrap_or(error);
    if let Error::Discarded { advice, .. } = &mut shown {
        *advice = why;
    }
    shown.into()
}
