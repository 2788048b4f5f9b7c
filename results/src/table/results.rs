//! Results in memory.

use std::io;

use super::{Cell, CellType, Column, Row, Sink};

/// Recorded rows, kept column by column.
///
/// ```
/// use fmu_results::table::{Results, Sink, Values};
///
/// // A drawing of a million rows needs only a few hundred of them.
/// let mut results = Results::thinned(500);
/// results.begin(&[])?;
/// for row in 0..1_000_000 {
///     results.row(&Values::default().row(row as f64, false))?;
/// }
/// assert!((250..=500).contains(&results.times().len()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Results {
    thinning: Option<Thinning>,
    columns: Vec<Column>,
    times: Vec<f64>,
    events: Vec<bool>,
    data: Vec<Data>,
}

#[derive(Clone, Debug)]
enum Data {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

/// Which rows are kept, so that there are never more than `limit`.
#[derive(Clone, Copy, Debug)]
struct Thinning {
    limit: usize,
    stride: usize,
    /// Rows to skip before the next one is kept.
    skip: usize,
}

impl Results {
    /// Keeps at most `limit` rows, spread evenly over the time of the simulation: whenever the limit is reached, every
    /// second row is dropped.
    pub fn thinned(limit: usize) -> Results {
        Results {
            thinning: Some(Thinning {
                limit: limit.max(2),
                stride: 1,
                skip: 0,
            }),
            ..Results::default()
        }
    }

    /// Whether the next row is kept.
    fn keeps(&mut self) -> bool {
        let Some(thinning) = &mut self.thinning else {
            return true;
        };
        if thinning.skip > 0 {
            thinning.skip -= 1;
            return false;
        }
        if self.times.len() == thinning.limit {
            thinning.stride *= 2;
            halve(&mut self.times);
            halve(&mut self.events);
            for data in &mut self.data {
                match data {
                    Data::Numbers(numbers) => halve(numbers),
                    Data::Texts(texts) => halve(texts),
                }
            }
        }
        thinning.skip = thinning.stride - 1;
        true
    }

    /// Drops the variables that are not wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Column) -> bool) {
        let keep: Vec<bool> = self.columns.iter().map(&mut wanted).collect();
        let mut each = keep.iter();
        self.columns.retain(|_| each.next() == Some(&true));
        let mut each = keep.iter();
        self.data.retain(|_| each.next() == Some(&true));
    }

    /// The recorded variables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The time of each row.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// For each row, whether it is beside an event.
    pub fn events(&self) -> &[bool] {
        &self.events
    }

    /// The times of events.
    pub fn event_times(&self) -> Vec<f64> {
        let marked = self.times.iter().zip(&self.events).filter(|(_, event)| **event);
        let mut times: Vec<f64> = marked.map(|(time, _)| *time).collect();
        times.dedup();
        times
    }

    /// The values of a variable, one for each row; Booleans are 0 and 1. `None` if it is a text or not recorded.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match &self.data[self.position(name)?] {
            Data::Numbers(numbers) => Some(numbers),
            Data::Texts(_) => None,
        }
    }

    /// The values of a text variable, one for each row.
    pub fn texts(&self, name: &str) -> Option<&[String]> {
        match &self.data[self.position(name)?] {
            Data::Texts(texts) => Some(texts),
            Data::Numbers(_) => None,
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Sink for Results {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        let data = |column: &Column| match column.cell_type {
            CellType::String => Data::Texts(Vec::new()),
            _ => Data::Numbers(Vec::new()),
        };
        self.data = columns.iter().map(data).collect();
        self.columns = columns.to_vec();
        Ok(())
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        if !self.keeps() {
            return Ok(());
        }
        self.times.push(row.time);
        self.events.push(row.event);
        for (cell, data) in row.cells().zip(&mut self.data) {
            match (cell, data) {
                (Cell::String(text), Data::Texts(texts)) => texts.push(text.into()),
                (cell, Data::Numbers(numbers)) => numbers.push(cell.number().unwrap_or(f64::NAN)),
                (_, Data::Texts(texts)) => texts.push(String::new()),
            }
        }
        Ok(())
    }
}

/// Drops every second value; the first stays.
fn halve<T>(values: &mut Vec<T>) {
    let mut keep = false;
    values.retain(|_| {
        keep = !keep;
        keep
    });
}
