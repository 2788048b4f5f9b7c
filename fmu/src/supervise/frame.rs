//! What a worker sends to the command that watches it, as bytes.

use std::io;

use fmu_importer::remote::{Message, Reader};
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

const TYPES: [CellType; 4] = [
    CellType::Real,
    CellType::Integer,
    CellType::Boolean,
    CellType::String,
];

/// The columns of a table with its number and title.
pub(super) fn put_columns(out: &mut Message, table: u8, title: &str, columns: &[Column]) {
    out.put(table).text(title).put(columns.len() as u32);
    for column in columns {
        let number = TYPES.iter().position(|one| *one == column.cell_type);
        out.text(&column.name)
            .put(u8::from(column.unit.is_some()))
            .text(column.unit.as_deref().unwrap_or(""))
            .put(number.unwrap_or(0) as u8)
            .put(u8::from(column.discrete));
    }
}

/// Number, title and columns of a table.
pub(super) fn take_columns(reader: &mut Reader) -> Option<(u8, String, Vec<Column>)> {
    let (table, title) = (reader.take()?, reader.text()?);
    let count: u32 = reader.take()?;
    let mut columns = Vec::new();
    for _ in 0..count {
        let name = reader.text()?;
        let has_unit = reader.take::<u8>()? != 0;
        let unit = Some(reader.text()?).filter(|_| has_unit);
        let cell_type = *TYPES.get(usize::from(reader.take::<u8>()?))?;
        let mut column = Column::new(&name, cell_type);
        column.unit = unit;
        column.discrete = reader.take::<u8>()? != 0;
        columns.push(column);
    }
    Some((table, title, columns))
}

/// A row of a table.
pub(super) fn put_row(out: &mut Message, table: u8, row: &Row) {
    out.put(table).put(u8::from(row.event)).put(row.time);
    for cell in row.cells() {
        match cell {
            Cell::Real(value) => out.put(value),
            Cell::Integer(value) => out.put(value),
            Cell::Boolean(value) => out.put(u8::from(value)),
            Cell::String(text) => out.text(text),
        };
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
    pub fn row(&mut self, reader: &mut Reader) -> io::Result<()> {
        match self.fill(reader) {
            Some((time, event)) => {
                self.rows += 1;
                self.time = time;
                self.sink.row(&self.values.row(time, event))
            }
            None => Ok(()),
        }
    }

    fn fill(&mut self, reader: &mut Reader) -> Option<(f64, bool)> {
        let event = reader.take::<u8>()? != 0;
        let time = reader.take()?;
        for (cell_type, at) in &self.columns {
            match cell_type {
                CellType::Real => self.values.reals[*at] = reader.take()?,
                CellType::Integer => self.values.integers[*at] = reader.take()?,
                CellType::Boolean => self.values.booleans[*at] = reader.take::<u8>()? != 0,
                CellType::String => self.values.strings[*at] = reader.text()?,
            }
        }
        Some((time, event))
    }
}

#[cfg(test)]
mod tests {
    use super::{Received, put_columns, put_row, take_columns};
    use fmu_importer::remote::{Message, Reader};
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
        let mut bytes = Message::default();
        put_columns(&mut bytes, 3, "Ball", &columns);
        let (table, title, read) = take_columns(&mut Reader(&bytes.0)).unwrap();
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
            sent.row(&mut Reader(&bytes.0[1..])).unwrap();
        }
        assert_eq!((sent.rows, sent.time), (3, 2.0));
        let (direct, sent) = (direct.finish().unwrap(), sent.sink.finish().unwrap());
        assert_eq!(String::from_utf8(sent), String::from_utf8(direct));
    }

    #[test]
    fn damaged_bytes_are_left_out() {
        assert!(take_columns(&mut Reader(&[1, 0, 0, 0, 0, 9, 0, 0, 0])).is_none());
        let mut bytes = Message::default();
        put_columns(&mut bytes, 3, "Ball", &[Column::new("x", CellType::Real)]);
        for length in 0..bytes.0.len() {
            assert!(
                take_columns(&mut Reader(&bytes.0[..length])).is_none(),
                "{length}"
            );
        }
    }
}
