//! A row per step of a simulation.

use std::io;

use fmu_importer::simulate::{SolverStep, watch_errors};
use fmu_results::table::{CellType, Column, Sink, Values};

/// The steps on their way to a table.
pub(crate) struct StepTable<S> {
    sink: S,
    values: Values,
    has_error: bool,
    failed: Option<io::Error>,
}

impl<S: Sink> StepTable<S> {
    /// `has_error`: the solver estimates the error of each step.
    pub fn begin(mut sink: S, has_error: bool) -> io::Result<StepTable<S>> {
        let has_error = has_error && watch_errors();
        let mut values = Values::default();
        let mut column = |name: &str, unit: Option<&str>, cell_type: CellType| {
            values.add(cell_type);
            let mut column = Column::new(name, cell_type);
            column.unit = unit.map(str::to_owned);
            column.discrete = true;
            column
        };
        let mut columns = vec![column("step", Some("s"), CellType::Real)];
        if has_error {
            columns.push(column("error", None, CellType::Real));
        }
        for name in ["order", "rejected", "iterations", "events"] {
            columns.push(column(name, None, CellType::Integer));
        }
        sink.begin(&columns)?;
        Ok(StepTable {
            sink,
            values,
            has_error,
            failed: None,
        })
    }

    pub fn add(&mut self, step: SolverStep) {
        self.values.reals[0] = step.size;
        if self.has_error {
            self.values.reals[1] = step.error.unwrap_or(f64::NAN);
        }
        let counts = [step.order, step.rejected, step.iterations, step.events];
        for (value, count) in self.values.integers.iter_mut().zip(counts) {
            *value = i32::try_from(count).unwrap_or(i32::MAX);
        }
        if self.failed.is_none() {
            self.failed = self.sink.row(&self.values.row(step.time, false)).err();
        }
    }

    /// The sink again, and the first error that it met.
    pub fn end(self) -> (S, io::Result<()>) {
        (self.sink, self.failed.map_or(Ok(()), Err))
    }
}
