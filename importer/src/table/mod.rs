//! Tables of values over time: rows go from whoever computes them to whoever writes or keeps them, one by one.

pub mod csv;
mod results;

pub use csv::CsvWriter;
pub use results::Results;

use std::io;

use crate::BaseType;

/// A number as tables have it: the shortest text that reads back as the same number.
///
/// ```
/// assert_eq!(fmu_importer::table::number(1e-9), "1e-9");
/// assert_eq!(fmu_importer::table::number(0.25), "0.25");
/// ```
pub fn number(value: f64) -> String {
    let mut text = Vec::new();
    csv::number(&mut text, value);
    String::from_utf8_lossy(&text).into_owned()
}

/// A recorded variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// Its type.
    pub base_type: BaseType,
    /// Whether it changes at events only.
    pub discrete: bool,
}

/// One value of a [`Row`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Of a Real variable.
    Real(f64),
    /// Of an Integer or Enumeration variable.
    Integer(i32),
    /// Of a Boolean variable.
    Boolean(bool),
    /// Of a String variable.
    String(&'a str),
}

impl Cell<'_> {
    /// As a number: 0 or 1 for a Boolean, none for a text.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(value),
            Self::Integer(value) => Some(value.into()),
            Self::Boolean(value) => Some(value.into()),
            Self::String(_) => None,
        }
    }
}

/// The recorded variables at one point of time. At an event there are two rows, before and after it.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// When.
    pub time: f64,
    /// Whether an event begins or has just been handled here.
    pub event: bool,
    values: &'a Values,
}

impl Row<'_> {
    /// Whether it has these values, to the bit.
    pub fn has(&self, other: &Values) -> bool {
        let bits = |reals: &[f64]| -> Vec<u64> { reals.iter().map(|real| real.to_bits()).collect() };
        let Values {
            slots,
            reals,
            integers,
            booleans,
            strings,
        } = self.values;
        *slots == other.slots
            && bits(reals) == bits(&other.reals)
            && *integers == other.integers
            && *booleans == other.booleans
            && *strings == other.strings
    }

    /// The values in the order of the columns.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.values.slots.iter().map(|(base_type, at)| match base_type {
            BaseType::Real => Cell::Real(self.values.reals[*at]),
            BaseType::Integer => Cell::Integer(self.values.integers[*at]),
            BaseType::Boolean => Cell::Boolean(self.values.booleans[*at]),
            BaseType::String => Cell::String(&self.values.strings[*at]),
        })
    }
}

/// The present values of recorded variables, of each type in a row of its own, so that many are read with one call.
///
/// ```
/// use fmu_importer::{BaseType, table::{Cell, Values}};
///
/// let mut values = Values::default();
/// let (height, count) = (values.add(BaseType::Real), values.add(BaseType::Integer));
/// values.reals[height] = 1.5;
/// values.integers[count] = 3;
/// let row = values.row(0.1, false);
/// assert!(row.cells().eq([Cell::Real(1.5), Cell::Integer(3)]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Values {
    slots: Vec<(BaseType, usize)>,
    /// Of Real variables.
    pub reals: Vec<f64>,
    /// Of Integer and Enumeration variables.
    pub integers: Vec<i32>,
    /// Of Boolean variables.
    pub booleans: Vec<bool>,
    /// Of String variables.
    pub strings: Vec<String>,
}

impl Values {
    /// Adds a column, and tells its position among those of its type.
    pub fn add(&mut self, base_type: BaseType) -> usize {
        let at = match base_type {
            BaseType::Real => added(&mut self.reals),
            BaseType::Integer => added(&mut self.integers),
            BaseType::Boolean => added(&mut self.booleans),
            BaseType::String => added(&mut self.strings),
        };
        self.slots.push((base_type, at));
        at
    }

    /// A row of them.
    pub fn row(&self, time: f64, event: bool) -> Row<'_> {
        Row {
            time,
            event,
            values: self,
        }
    }
}

fn added<T: Default>(values: &mut Vec<T>) -> usize {
    values.push(T::default());
    values.len() - 1
}

/// Takes what is recorded.
pub trait Sink {
    /// Before the first row.
    fn begin(&mut self, columns: &[Column]) -> io::Result<()>;

    /// The next row; times never decrease.
    fn row(&mut self, row: &Row) -> io::Result<()>;
}

impl<A: Sink, B: Sink> Sink for (A, B) {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        self.0.begin(columns)?;
        self.1.begin(columns)
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.0.row(row)?;
        self.1.row(row)
    }
}

impl<S: Sink> Sink for Option<S> {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |sink| sink.begin(columns))
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.as_mut().map_or(Ok(()), |sink| sink.row(row))
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        (**self).begin(columns)
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        (**self).row(row)
    }
}
