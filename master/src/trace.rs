//! Communication steps as a table, one row per step: its size, its estimated error, its order, and what it took.

use fmu_results::table::{CellType, Column, Row, Values};

use crate::Master;
use crate::settings::Settings;

/// Follows a run step by step, for a table beside that of the results.
///
/// ```no_run
/// use fmu_results::table::CsvWriter;
/// use fmu_master::System;
///
/// let mut car = System::open("quarter-car.toml")?.assemble()?;
/// let mut results = CsvWriter::new(std::fs::File::create("car.csv")?);
/// let mut steps = CsvWriter::new(std::fs::File::create("steps.csv")?);
/// car.run_traced(&mut results, &mut steps, |_time| true)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trace {
    columns: Vec<Column>,
    values: Values,
    has_error: bool,
    /// The end of the last step, and what was counted up to there.
    last: Option<(f64, [u64; COUNTS.len()])>,
    /// The order of the step to come.
    order: u32,
}

/// What is counted from step to step.
const COUNTS: [&str; 4] = ["rejected", "discarded", "iterations", "events"];

impl Trace {
    /// Of a run with these settings.
    pub fn new(settings: &Settings) -> Trace {
        let mut trace = Trace {
            columns: Vec::new(),
            values: Values::default(),
            has_error: settings.control.is_some(),
            last: None,
            order: 0,
        };
        trace.add("step", Some("s"), CellType::Real);
        if trace.has_error {
            trace.add("error", None, CellType::Real);
        }
        trace.add("order", None, CellType::Integer);
        for name in COUNTS {
            trace.add(name, None, CellType::Integer);
        }
        trace
    }

    fn add(&mut self, name: &str, unit: Option<&str>, cell_type: CellType) {
        self.values.add(cell_type);
        let mut column = Column::new(name, cell_type);
        column.unit = unit.map(str::to_owned);
        column.discrete = true;
        self.columns.push(column);
    }

    /// What the columns are: the size of the step, its estimated error as a part of the tolerated one (with error control),
    /// the order of its inputs, the tries that were rejected and discarded before it, iterations, and jumps inside it.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The run starts again.
    pub fn begin(&mut self) {
        self.last = None;
    }

    /// The step that has ended where the master is; none at the start.
    pub fn read(&mut self, master: &Master) -> Option<Row<'_>> {
        let statistics = master.statistics();
        let counts = [
            statistics.rejected,
            statistics.discarded,
            statistics.iterations,
            statistics.jumps,
        ];
        let time = master.time();
        let order = std::mem::replace(&mut self.order, master.order());
        let (begin, before) = self.last.replace((time, counts))?;
        self.values.reals[0] = time - begin;
        if self.has_error {
            self.values.reals[1] = master.step_error();
        }
        self.values.integers[0] = order as i32;
        for (at, (now, before)) in counts.iter().zip(before).enumerate() {
            self.values.integers[at + 1] = i32::try_from(now - before).unwrap_or(i32::MAX);
        }
        Some(self.values.row(time, false))
    }
}
