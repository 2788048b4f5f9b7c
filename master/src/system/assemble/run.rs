//! A whole run: initialization, steps, and rows to whoever takes them.

use std::io;

use importer::table::Sink;

use super::Assembled;
use crate::End;

/// Why a run ended before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The coupled simulation.
    #[error(transparent)]
    Master(#[from] crate::Error),
    /// Results cannot be written.
    #[error("cannot write results: {0}")]
    Write(#[from] io::Error),
}

impl Assembled {
    /// Initializes and simulates to the stop time. Each communication point is a row for `sink`, as it comes, and then told
    /// to `go_on`, which may end the simulation there with false.
    ///
    /// ```no_run
    /// use master::System;
    ///
    /// let mut car = System::open("quarter-car.toml")?.assemble()?;
    /// let mut table = importer::table::CsvWriter::new(std::io::stdout());
    /// car.run(&mut table, |_time| true)?;
    /// println!("{} steps", car.master.statistics().steps);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(&mut self, sink: &mut dyn Sink, mut go_on: impl FnMut(f64) -> bool) -> Result<End, RunError> {
        sink.begin(self.recorder.columns())?;
        self.master.initialize(&self.start)?;
        let mut failed = None;
        let recorder = &mut self.recorder;
        let end = self.master.run_with(|master| {
            let recorded = recorder
                .read(master)
                .map_err(RunError::from)
                .and_then(|row| Ok(sink.row(&row)?));
            match recorded {
                Ok(()) => go_on(master.time()),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        })?;
        failed.map_or(Ok(end), Err)
    }
}
