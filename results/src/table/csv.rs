//! Tables as text: results out, inputs in.

use std::io::{self, Write};

use super::{Cell, Column, Row, Sink};

/// Describes a row that has more or fewer values than there are names.
pub fn wrong_length(row: &[String], names: usize) -> String {
    let numbers = row
        .iter()
        .filter(|field| field.trim().parse::<f64>().is_ok())
        .count();
    let hint = match row.len() > names && numbers == row.len() {
        true => "; if these are decimal commas: numbers are written with points, such as 1.5",
        false => "",
    };
    format!("{} values for {names} names{hint}", row.len())
}

/// The problem of a table whose time column is named with a unit other than seconds, such as `t [ms]`.
///
/// ```
/// use fmu_results::table::csv::wrong_time_unit;
///
/// assert!(wrong_time_unit("time").is_none() && wrong_time_unit("t [s]").is_none());
/// assert!(wrong_time_unit("t [ms]").unwrap().contains("is in `ms`"));
/// ```
pub fn wrong_time_unit(name: &str) -> Option<String> {
    let name = name.trim();
    let bracketed = name
        .strip_suffix([']', ')'])
        .and_then(|rest| rest.rsplit_once(['[', '(']))
        .map(|(_, unit)| unit.trim());
    let (_, last) = name
        .rsplit_once(|character: char| {
            matches!(character, '/' | '_' | '.' | ':') || character.is_whitespace()
        })
        .unwrap_or(("", name));
    let unit = match bracketed {
        Some(unit) => Some(unit).filter(|unit| !is_one_of(unit, SECONDS)),
        None => Some(last)
            .filter(|word| is_one_of(word, OTHER_TIMES) || (*word != name && is_one_of(word, SHORT_TIMES))),
    }?;
    Some(format!(
        "the first column is the time in seconds, but by its name, `{name}`, it is in `{unit}`: convert its values and \
         name it `time`"
    ))
}

fn is_one_of(unit: &str, units: &[&str]) -> bool {
    units.contains(&unit.to_lowercase().as_str())
}

/// A bracket without a unit counts as seconds, too.
const SECONDS: &[&str] = &["", "s", "sec", "secs", "second", "seconds"];

const OTHER_TIMES: &[&str] = &[
    "ms",
    "msec",
    "millis",
    "millisecond",
    "milliseconds",
    "us",
    "usec",
    "µs",
    "μs",
    "micros",
    "microsecond",
    "microseconds",
    "ns",
    "nsec",
    "nanos",
    "nanosecond",
    "nanoseconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hr",
    "hrs",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "year",
    "years",
];

/// These alone may be the names of variables; behind another word they are units.
const SHORT_TIMES: &[&str] = &["h", "d", "a"];

/// Writes rows as comma-separated values, as they come: `time` and then the recorded variables.
///
/// Texts are written as they are. A spreadsheet may take one that begins with `=`, `+`, `-` or `@` for a formula:
/// import such tables as text, or read them with a program. Other programs read exactly what the simulation recorded.
///
/// All rows are in the file, even when the simulation ends early; [`CsvWriter::finish`] flushes them. Only whole lines
/// are written, so that a process that is killed does not leave half a number.
pub struct CsvWriter<W: Write> {
    /// `None` after [`CsvWriter::finish`].
    out: Option<W>,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    /// How many bytes have been written.
    written: usize,
    last_flush: std::time::Instant,
}

/// Lines are written when they have more bytes than this.
const WAITING: usize = 1 << 16;

/// Operating systems copy what is written page by page, and a process that is killed may end between two pages.
const PAGE: usize = 4096;

/// The length of the next piece to write: all lines that end within so much room or, where none does, the first one.
fn piece(lines: &[u8], room: usize) -> usize {
    if lines.len() <= room {
        return lines.len();
    }
    let last = lines[..room].iter().rposition(|byte| *byte == b'\n');
    let end = last.or_else(|| lines.iter().position(|byte| *byte == b'\n'));
    end.map_or(lines.len(), |end| end + 1)
}

impl<W: Write> CsvWriter<W> {
    /// Writes to `out`, which need not be buffered: lines are collected here.
    pub fn new(out: W) -> Self {
        Self {
            out: Some(out),
            lines: Vec::new(),
            written: 0,
            last_flush: std::time::Instant::now(),
        }
    }

    /// Flushes and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        self.out.take().ok_or(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        // A failed write is not repeated.
        let lines = std::mem::take(&mut self.lines);
        if let Some(out) = &mut self.out {
            let mut rest = &lines[..];
            while !rest.is_empty() {
                let (piece, others) = rest.split_at(piece(rest, PAGE - self.written % PAGE));
                out.write_all(piece)?;
                self.written += piece.len();
                rest = others;
            }
            out.flush()?;
        }
        self.lines = lines;
        self.lines.clear();
        self.last_flush = std::time::Instant::now();
        Ok(())
    }
}

impl<W: Write> Drop for CsvWriter<W> {
    fn drop(&mut self) {
        // Callers that need to know whether it succeeded call `finish`.
        let _ = self.flush();
    }
}

impl<W: Write> Sink for CsvWriter<W> {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        let lines = &mut self.lines;
        lines.extend_from_slice(b"time");
        for column in columns {
            lines.push(b',');
            quoted(lines, &column.name);
        }
        lines.push(b'\n');
        self.flush()
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        let lines = &mut self.lines;
        number(lines, row.time);
        for cell in row.cells() {
            lines.push(b',');
            match cell {
                Cell::Real(value) => number(lines, value),
                Cell::Integer(value) => write!(lines, "{value}")?,
                Cell::Boolean(value) => lines.push(if value { b'1' } else { b'0' }),
                Cell::String(text) => quoted(lines, text),
            }
        }
        lines.push(b'\n');
        // The file can be read while a long simulation runs, and the simulation may be killed.
        if lines.len() > WAITING || self.last_flush.elapsed().as_secs() >= 1 {
            self.flush()?;
        }
        Ok(())
    }
}

/// The shortest text that reads back as the same number.
pub(super) fn number(line: &mut Vec<u8>, value: f64) {
    let size = value.abs();
    let result = if size != 0.0 && !(1e-5..1e16).contains(&size) && size.is_finite() {
        write!(line, "{value:e}")
    } else {
        write!(line, "{value}")
    };
    result.expect("a vector takes everything");
}

fn quoted(line: &mut Vec<u8>, text: &str) {
    if !text.contains([',', '"', '\n', '\r']) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    line.push(b'"');
}

/// Reads the fields of each line that is not empty, with the number of the line. Quoted fields may contain any characters.
///
/// # Errors
/// The number of the line on which an unterminated quoted text begins.
pub fn read(text: &str) -> Result<Vec<(usize, Vec<String>)>, usize> {
    let mut rows = Vec::new();
    let (mut line, mut row_line) = (1, 1);
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut characters = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    loop {
        let character = characters.next();
        match character {
            Some('"') if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            Some('"') if quoted => quoted = false,
            Some('"') if field.trim().is_empty() => {
                field.clear();
                quoted = true;
            }
            None if quoted => return Err(row_line),
            Some('\r') if !quoted && matches!(characters.peek(), Some('\n') | None) => {}
            Some(',' | ';') if !quoted => row.push(std::mem::take(&mut field)),
            Some('\n') | None if !quoted => {
                row.push(std::mem::take(&mut field));
                let row = std::mem::take(&mut row);
                let comment = row[0].trim_start().starts_with('#');
                if !comment && row.iter().any(|field| !field.trim().is_empty()) {
                    rows.push((row_line, row));
                }
                line += 1;
                row_line = line;
                if character.is_none() {
                    return Ok(rows);
                }
            }
            Some(other) => {
                line += usize::from(other == '\n');
                field.push(other);
            }
            None => unreachable!("the end is handled with and without quotes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{number, quoted, read, wrong_time_unit};

    #[test]
    fn times_are_in_seconds() {
        for name in [
            "time",
            "t",
            "Time [s]",
            "t (sec)",
            "t_s",
            "time in seconds",
            "h",
            "start_time",
            "t/s",
            "",
        ] {
            assert_eq!(wrong_time_unit(name), None, "{name}");
        }
        let others = [
            ("t [ms]", "ms"),
            ("Time (min)", "min"),
            ("t_ms", "ms"),
            ("time/h", "h"),
            ("t in days", "days"),
            ("t [ h ]", "h"),
            ("ms", "ms"),
            ("time[furlong]", "furlong"),
            ("t [MS]", "MS"),
            ("t:µs", "µs"),
        ];
        for (name, unit) in others {
            let problem = wrong_time_unit(name).unwrap_or_else(|| panic!("{name}"));
            assert!(
                problem.contains(&format!("`{name}`, it is in `{unit}`")),
                "{problem}"
            );
        }
    }

    #[test]
    fn numbers_read_back() {
        for value in [
            0.0,
            0.1,
            -1.0 / 3.0,
            1e-300,
            5e-324,
            1.7e308,
            123456789.125,
            f64::INFINITY,
        ] {
            let mut text = Vec::new();
            number(&mut text, value);
            assert!(text.len() < 26);
            assert_eq!(String::from_utf8(text).unwrap().parse(), Ok(value));
        }
    }

    #[test]
    fn texts_read_back() {
        for text in ["plain", "a,b", "say \"x\"", "two\nlines", ""] {
            let mut line = b"t,".to_vec();
            quoted(&mut line, text);
            line.push(b'\n');
            let rows = read(&String::from_utf8(line).unwrap()).unwrap();
            assert_eq!(rows, [(1, vec!["t".to_string(), text.to_string()])]);
        }
    }

    #[test]
    fn lines_are_counted_and_empty_ones_left_out() {
        let rows = read("# by hand\r\ntime,u\r\n\n0, 1\n").unwrap();
        assert_eq!(rows[0], (2, vec!["time".into(), "u".into()]));
        assert_eq!(rows[1], (4, vec!["0".into(), " 1".into()]));
        assert_eq!(read("a,\"b\n"), Err(1));
    }
}
