//! A row per step of a simulation.

use std::error::Error;
use std::io;

use importer::BaseType;
use importer::simulate::SolverStep;
use importer::table::{Column, Sink, Values};

use crate::output::Rows;

/// The steps on their way to a table.
pub(super) struct StepTable {
    rows: Rows,
    values: Values,
    failed: Option<io::Error>,
}

impl StepTable {
    pub fn begin(mut rows: Rows) -> Result<StepTable, Box<dyn Error>> {
        let mut values = Values::default();
        let mut column = |name: &str, unit: Option<&str>, base_type: BaseType| {
            values.add(base_type);
            Column {
                name: name.to_owned(),
                unit: unit.map(str::to_owned),
                base_type,
                discrete: true,
            }
        };
        let columns = [
            column("step", Some("s"), BaseType::Real),
            column("order", None, BaseType::Integer),
            column("rejected", None, BaseType::Integer),
            column("iterations", None, BaseType::Integer),
            column("events", None, BaseType::Integer),
        ];
        let begun = rows.begin(&columns);
        begun.map_err(|error| rows.unwritten(error))?;
        Ok(StepTable {
            rows,
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
            self.failed = self.rows.row(&self.values.row(step.time, false)).err();
        }
    }

    /// Writes what is waiting and draws.
    pub fn finish(self) -> Result<(), Box<dyn Error>> {
        match self.failed {
            Some(error) => Err(self.rows.unwritten(error)),
            None => self.rows.finish(),
        }
    }
}
