//! A row per step of a simulation.

use std::io;

use fmu_importer::simulate::SolverStep;
use fmu_results::table::{CellType, Column, Sink, Values};

/// The steps on their way to a table.
pub(crate) struct StepTable<S> {
    sink: S,
    values: Values,
    failed: Option<io::Error>,
}

impl<S: Sink> StepTable<S> {
    pub fn begin(mut sink: S) -> io::Result<StepTable<S>> {
        let mut values = Values::default();
        let mut column = |name: &str, unit: Option<&str>, cell_type: CellType| {
            values.add(cell_type);
            let mut column = Column::new(name, cell_type);
            column.unit = unit.map(str::to_owned);
            column.discrete = true;
            column
        };
        let columns = [
            column("step", Some("s"), CellType::Real),
            column("order", None, CellType::Integer),
            column("rejected", None, CellType::Integer),
            column("iterations", None, CellType::Integer),
            column("events", None, CellType::Integer),
        ];
        sink.begin(&columns)?;
        Ok(StepTable {
            sink,
            values,
            failed: None,
        })
    }

    pub fn add(&mut self, step: SolverStep) {
        self.values.reals[0] = step.size;
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
