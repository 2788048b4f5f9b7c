//! Tables from files, and what can be wrong with a table.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a table cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// There is no point.
    Empty,
    /// Arguments and values differ in number.
    Lengths {
        /// How many arguments there are.
        arguments: usize,
        /// How many values.
        values: usize,
    },
    /// An argument is not above the one before it.
    Order {
        /// Which argument.
        of: &'static str,
        /// The place of the second one, counted from 1.
        place: usize,
        /// The one before.
        before: f64,
        /// The offending one.
        value: f64,
    },
    /// An argument or a value is not finite.
    NotFinite {
        /// The place, counted from 1.
        place: usize,
        /// The offending number.
        value: f64,
    },
    /// A line of a file has too few or too many columns.
    Columns {
        /// The line, counted from 1.
        line: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A cell of a file is not a number.
    Number {
        /// The line, counted from 1.
        line: usize,
        /// The cell.
        text: String,
    },
    /// A file cannot be read.
    Read(std::io::Error),
    /// Something is wrong with the table in a file.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<TableError>,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Empty => write!(f, "a table needs at least one point"),
            TableError::Lengths { arguments, values } => {
                write!(
                    f,
                    "{arguments} arguments but {values} values: a table needs as many of each"
                )
            }
            TableError::Order {
                of,
                place,
                before,
                value,
            } => write!(
                f,
                "{of} must increase from point to point, but number {place} is {value} after {before}: sort the points, and \
                 merge those with the same argument"
            ),
            TableError::NotFinite { place, value } => {
                write!(f, "number {place} is {value}, which is not finite")
            }
            TableError::Columns { line, expected } => {
                write!(f, "line {line} does not have {expected} columns")
            }
            TableError::Number { line, text } => write!(f, "line {line}: '{text}' is not a number"),
            TableError::Read(error) => write!(f, "cannot be read: {error}"),
            TableError::File { path, error } => write!(f, "table {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Read(error) => Some(error),
            TableError::File { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// A line of numbers.
pub(super) struct Row {
    pub line: usize,
    pub numbers: Vec<f64>,
}

/// Puts the file's name to an error.
pub(super) fn located<T>(path: &Path, make: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    make().map_err(|error| TableError::File {
        path: path.to_owned(),
        error: Box::new(error),
    })
}

/// All lines of numbers of a file; one line of headings may come first.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, TableError> {
    located(path, || {
        let text = std::fs::read_to_string(path).map_err(TableError::Read)?;
        let mut rows = Vec::new();
        for (position, (line, cells)) in lines(&text).enumerate() {
            match numbers(line, &cells) {
                Ok(numbers) => rows.push(Row { line, numbers }),
                // Headings, if no cell at all is a number.
                Err(_) if position == 0 && cells.iter().all(|cell| cell.parse::<f64>().is_err()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(rows)
    })
}

/// The first line without its first cell, and all other lines.
pub(super) fn read_grid(path: &Path) -> Result<(Vec<f64>, Vec<Row>), TableError> {
    located(path, || {
        let text = std::fs::read_to_string(path).map_err(TableError::Read)?;
        let mut lines = lines(&text);
        let (line, cells) = lines.next().ok_or(TableError::Empty)?;
        let grid = numbers(line, cells.get(1..).unwrap_or_default())?;
        let rows = lines
            .map(|(line, cells)| {
                Ok(Row {
                    line,
                    numbers: numbers(line, &cells)?,
                })
            })
            .collect::<Result<_, TableError>>()?;
        Ok((grid, rows))
    })
}

/// The cells of each line that is neither empty nor a comment, with the line's number.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.trim();
        let cells = || {
            line.split([',', ';', '\t'])
                .map(|cell| cell.trim().trim_matches('"'))
                .collect()
        };
        (!line.is_empty() && !line.starts_with('#')).then(|| (number, cells()))
    })
}

fn numbers(line: usize, cells: &[&str]) -> Result<Vec<f64>, TableError> {
    let number = |cell: &&str| {
        cell.parse().map_err(|_| TableError::Number {
            line,
            text: (*cell).to_owned(),
        })
    };
    cells.iter().map(number).collect()
}

pub(super) fn check_grid(of: &'static str, grid: &[f64]) -> Result<(), TableError> {
    if grid.is_empty() {
        return Err(TableError::Empty);
    }
    check_values(grid)?;
    match grid.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(i) => Err(TableError::Order {
            of,
            place: i + 2,
            before: grid[i],
            value: grid[i + 1],
        }),
        None => Ok(()),
    }
}

pub(super) fn check_values(values: &[f64]) -> Result<(), TableError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(TableError::NotFinite {
            place: i + 1,
            value: values[i],
        }),
        None => Ok(()),
    }
}
