//! Tables as text: results out, inputs in.

use std::io::{self, Write};

use super::{Cell, Column, Row, Sink};

/// Writes rows as comma-separated values, as they come: `time` and then the recorded variables.
///
/// Texts of an FMU are written as they are. A spreadsheet may take one that begins with `=`, `+`, `-` or `@` for a formula:
/// import such tables as text, or read them with a program. Other programs get exactly what the FMU returned.
///
/// Whatever was computed is in the file, also when the simulation ends early; [`CsvWriter::finish`] flushes.
pub struct CsvWriter<W: Write> {
    out: W,
    line: Vec<u8>,
    /// Whether rows may wait in the writer.
    last_flush: std::time::Instant,
}

impl<W: Write> CsvWriter<W> {
    /// To a file, better a buffered one.
    pub fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
            last_flush: std::time::Instant::now(),
        }
    }

    /// Flushes and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> Sink for CsvWriter<W> {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        self.line.extend_from_slice(b"time");
        for column in columns {
            self.line.push(b',');
            quoted(&mut self.line, &column.name);
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.line.clear();
        number(&mut self.line, row.time);
        for cell in row.cells() {
            self.line.push(b',');
            match cell {
                Cell::Real(value) => number(&mut self.line, value),
                Cell::Integer(value) => write!(self.line, "{value}")?,
                Cell::Boolean(value) => self.line.push(if value { b'1' } else { b'0' }),
                Cell::String(text) => quoted(&mut self.line, text),
            }
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        // A long simulation can be looked at while it runs, and killed.
        if self.last_flush.elapsed().as_secs() >= 1 {
            self.out.flush()?;
            self.last_flush = std::time::Instant::now();
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

/// The fields of each line that has any, with the number of the line; fields may be quoted and then hold anything.
///
/// # Errors
/// The number of the line where a quoted text begins that has no end.
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
    use super::{number, quoted, read};

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
