//! Tables of values over time: a simulation passes rows to a [`Sink`], which writes or keeps them, one by one.

pub mod csv;
mod results;

pub use csv::CsvWriter;
pub use results::Results;

use std::io;

/// A number as it is written into tables: the shortest text that reads back as the same number.
///
/// ```
/// assert_eq!(fmu_results::table::number(1e-9), "1e-9");
/// assert_eq!(fmu_results::table::number(0.25), "0.25");
/// ```
pub fn number(value: f64) -> String {
    let mut text = Vec::new();
    csv::number(&mut text, value);
    String::from_utf8_lossy(&text).into_owned()
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellType {
    /// Floating-point numbers.
    Real,
    /// Whole numbers, and enumerations by number.
    Integer,
    /// True or false.
    Boolean,
    /// Texts.
    String,
}

/// A recorded variable.
///
/// ```
/// use fmu_results::table::{CellType, Column};
///
/// let gear = Column::new("gear", CellType::Integer);
/// assert!(gear.discrete && gear.unit.is_none());
/// assert!(!Column::new("speed", CellType::Real).unit("m/s").discrete);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// The type of its values.
    pub cell_type: CellType,
    /// Whether it changes at events only.
    pub discrete: bool,
}

impl Column {
    /// A column without a unit. Real values are continuous, all others change at events only.
    pub fn new(name: &str, cell_type: CellType) -> Self {
        Self {
            name: name.to_owned(),
            unit: None,
            cell_type,
            discrete: cell_type != CellType::Real,
        }
    }

    /// Sets its unit.
    pub fn unit(mut self, unit: &str) -> Self {
        self.unit = Some(unit.to_owned());
        self
    }
}

/// One value of a [`Row`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A floating-point number.
    Real(f64),
    /// A whole number.
    Integer(i32),
    /// True or false.
    Boolean(bool),
    /// A text.
    String(&'a str),
}

impl Cell<'_> {
    /// The value as a number: 0 or 1 for a Boolean, `None` for a text.
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
    /// The time of the row.
    pub time: f64,
    /// Whether an event begins or has just been handled here.
    pub event: bool,
    values: &'a Values,
}

impl Row<'_> {
    /// Whether the row has exactly these values, bit by bit.
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
        self.values.slots.iter().map(|(cell_type, at)| match cell_type {
            CellType::Real => Cell::Real(self.values.reals[*at]),
            CellType::Integer => Cell::Integer(self.values.integers[*at]),
            CellType::Boolean => Cell::Boolean(self.values.booleans[*at]),
            CellType::String => Cell::String(&self.values.strings[*at]),
        })
    }
}

/// The present values of recorded variables, in one list per type, so that one call can read many of them.
///
/// ```
/// use fmu_results::table::{Cell, CellType, Values};
///
/// let mut values = Values::default();
/// let (height, count) = (values.add(CellType::Real), values.add(CellType::Integer));
/// values.reals[height] = 1.5;
/// values.integers[count] = 3;
/// let row = values.row(0.1, false);
/// assert!(row.cells().eq([Cell::Real(1.5), Cell::Integer(3)]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Values {
    slots: Vec<(CellType, usize)>,
    /// Values of [`CellType::Real`].
    pub reals: Vec<f64>,
    /// Values of [`CellType::Integer`].
    pub integers: Vec<i32>,
    /// Values of [`CellType::Boolean`].
    pub booleans: Vec<bool>,
    /// Values of [`CellType::String`].
    pub strings: Vec<String>,
}

impl Values {
    /// Adds a column and returns its position in the list of its type.
    pub fn add(&mut self, cell_type: CellType) -> usize {
        let at = match cell_type {
            CellType::Real => added(&mut self.reals),
            CellType::Integer => added(&mut self.integers),
            CellType::Boolean => added(&mut self.booleans),
            CellType::String => added(&mut self.strings),
        };
        self.slots.push((cell_type, at));
        at
    }

    /// A row with these values.
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

/// Receives recorded rows.
pub trait Sink {
    /// Called once, before the first row.
    fn begin(&mut self, columns: &[Column]) -> io::Result<()>;

    /// Called with each row; times never decrease.
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
