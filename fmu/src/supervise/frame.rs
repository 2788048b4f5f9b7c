//! What a worker sends to the command that watches it, as bytes.

use std::io;

use fmu_results::table::{Cell, CellType, Column, Row, Sink, Values};

/// Kinds of frames.
pub(super) mod kind {
    /// The title of a table and its columns.
    pub const COLUMNS: u8 = 1;
    /// A row of a table.
    pub const ROW: u8 = 2;
    /// A piece of text for standard error.
    pub const ERROR: u8 = 3;
    /// Bytes for standard output.
    pub const OUTPUT: u8 = 4;
    /// A file: its path and its bytes.
    pub const FILE: u8 = 5;
    /// The path of a folder to make.
    pub const FOLDER: u8 = 7;
    /// The exit code: the command has done all that it wanted to do.
    pub const FINISH: u8 = 6;
}

/// Puts numbers and texts one after another.
pub(super) trait Put {
    fn text(&mut self, text: &str);
    fn real(&mut self, value: f64);
}

impl Put for Vec<u8> {
    fn text(&mut self, text: &str) {
        self.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.extend_from_slice(text.as_bytes());
    }

    fn real(&mut self, value: f64) {
        self.extend_from_slice(&value.to_le_bytes());
    }
}

/// Takes them out again; `None` where the bytes end too early, which only a damaged ring brings about.
pub(super) struct Take<'a>(pub &'a [u8]);

impl<'a> Take<'a> {
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn four(&mut self) -> Option<[u8; 4]> {
        self.bytes(4)?.try_into().ok()
    }

    pub fn text(&mut self) -> Option<String> {
        let length = u32::from_le_bytes(self.four()?) as usize;
        self.bytes(length)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn real(&mut self) -> Option<f64> {
        self.bytes(8)?.try_into().ok().map(f64::from_le_bytes)
    }
}

const TYPES: [CellType; 4] = [
    CellType::Real,
    CellType::Integer,
    CellType::Boolean,
    CellType::String,
];

/// The columns of a table with its number and title.
pub(super) fn put_columns(out: &mut Vec<u8>, table: u8, title: &str, columns: &[Column]) {
    out.push(table);
    out.text(title);
    out.extend_from_slice(&(columns.len() as u32).to_le_bytes());
    for column in columns {
        out.text(&column.name);
        out.push(column.unit.is_some().into());
        out.text(column.unit.as_deref().unwrap_or(""));
        let number = TYPES.iter().position(|one| *one == column.cell_type);
        out.push(number.unwrap_or(0) as u8);
        out.push(column.discrete.into());
    }
}

/// Number, title and columns of a table.
pub(super) fn take_columns(take: &mut Take) -> Option<(u8, String, Vec<Column>)> {
    let (table, title) = (take.byte()?, take.text()?);
    let count = u32::from_le_bytes(take.four()?);
    let mut columns = Vec::new();
    for _ in 0..count {
        let name = take.text()?;
        let has_unit = take.byte()? != 0;
        let unit = take.text().filter(|_| has_unit);
        let cell_type = *TYPES.get(usize::from(take.byte()?))?;
        let mut column = Column::new(&name, cell_type);
        column.unit = unit;
        column.discrete = take.byte()? != 0;
        columns.push(column);
    }
    Some((table, title, columns))
}

/// A row of a table.
pub(super) fn put_row(out: &mut Vec<u8>, table: u8, row: &Row) {
    out.push(table);
    out.push(row.event.into());
    out.real(row.time);
    for cell in row.cells() {
        match cell {
            Cell::Real(value) => out.real(value),
            Cell::Integer(value) => out.extend_from_slice(&value.to_le_bytes()),
            Cell::Boolean(value) => out.push(value.into()),
            Cell::String(text) => out.text(text),
        }
    }
}

/// The rows of a table on the parent's side: bytes become rows of its sinks.
pub(super) struct Received<S> {
    pub sink: S,
    columns: Vec<(CellType, usize)>,
    values: Values,
    /// How many rows came.
    pub rows: u64,
    /// The time of the last one.
    pub time: f64,
}

impl<S: Sink> Received<S> {
    pub fn new(sink: S) -> Received<S> {
        Received {
            sink,
            columns: Vec::new(),
            values: Values::default(),
            rows: 0,
            time: f64::NAN,
        }
    }

    pub fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        self.values = Values::default();
        self.rows = 0;
        self.columns = columns
            .iter()
            .map(|column| (column.cell_type, self.values.add(column.cell_type)))
            .collect();
        self.sink.begin(columns)
    }

    /// Passes a row on; a damaged one is left out.
    pub fn row(&mut self, take: &mut Take) -> io::Result<()> {
        match self.fill(take) {
            Some((time, event)) => {
                self.rows += 1;
                self.time = time;
                self.sink.row(&self.values.row(time, event))
            }
            None => Ok(()),
        }
    }

    fn fill(&mut self, take: &mut Take) -> Option<(f64, bool)> {
        let event = take.byte()? != 0;
        let time = take.real()?;
        for (cell_type, at) in &self.columns {
            match cell_type {
                CellType::Real => self.values.reals[*at] = take.real()?,
                CellType::Integer => self.values.integers[*at] = i32::from_le_bytes(take.four()?),
                CellType::Boolean => self.values.booleans[*at] = take.byte()? != 0,
                CellType::String => self.values.strings[*at] = take.text()?,
            }
        }
        Some((time, event))
    }
}

#[cfg(test)]
mod tests {
    use super::{Put, Received, Take, put_columns, put_row, take_columns};
    use fmu_results::table::{CellType, Column, CsvWriter, Sink, Values};

    #[test]
    fn a_table_arrives_as_it_was_sent() {
        let columns = [
            Column::new("x", CellType::Real).unit("m"),
            Column::new("n", CellType::Integer),
            Column::new("b", CellType::Boolean),
            Column::new("text, \"quoted\"", CellType::String),
        ];
        let mut values = Values::default();
        for column in &columns {
            values.add(column.cell_type);
        }
        let mut bytes = Vec::new();
        put_columns(&mut bytes, 3, "Ball", &columns);
        let (table, title, read) = take_columns(&mut Take(&bytes)).unwrap();
        assert_eq!((table, title.as_str(), &read[..]), (3, "Ball", &columns[..]));

        let mut direct = CsvWriter::new(Vec::new());
        let mut sent = Received::new(CsvWriter::new(Vec::new()));
        direct.begin(&columns).unwrap();
        sent.begin(&read).unwrap();
        for number in 0..3 {
            values.reals[0] = 0.1 * f64::from(number);
            values.integers[0] = -number;
            values.booleans[0] = number == 1;
            values.strings[0] = "ä,b\n".repeat(number as usize);
            let row = values.row(f64::from(number), number == 2);
            direct.row(&row).unwrap();
            bytes.clear();
            put_row(&mut bytes, 3, &row);
            sent.row(&mut Take(&bytes[1..])).unwrap();
        }
        assert_eq!((sent.rows, sent.time), (3, 2.0));
        let (direct, sent) = (direct.finish().unwrap(), sent.sink.finish().unwrap());
        assert_eq!(String::from_utf8(sent), String::from_utf8(direct));
    }

    #[test]
    fn damaged_bytes_are_left_out() {
        let mut bytes = Vec::new();
        bytes.text("cut");
        assert_eq!(Take(&bytes[..5]).text(), None);
        assert!(take_columns(&mut Take(&[1, 0, 0, 0, 0, 9, 0, 0, 0])).is_none());
    }
}
