//! Where commands write to: files and standard streams, directly or, in a worker, through the command that started it.

use std::io;
#[cfg(feature = "import")]
use std::{error::Error, path::Path};

/// Whether a path stands for standard output.
#[cfg(feature = "import")]
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path that cannot be written. A closed pipe stays what it is: the reader has seen enough.
#[cfg(feature = "import")]
pub(crate) fn cannot_write(path: Option<&Path>, error: io::Error) -> Box<dyn Error> {
    match path.filter(|path| !is_standard(path)) {
        _ if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
        Some(path) => format!("cannot write {}: {error}", path.display()).into(),
        None => format!("cannot write to standard output: {error}").into(),
    }
}

/// A number of things, such as `1 row` and `2 rows`.
#[cfg(feature = "import")]
pub(crate) fn count(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
}

/// Writes a line to standard error.
macro_rules! say {
    ($($argument:tt)*) => {
        $crate::output::error_line(&format!($($argument)*))
    };
}
pub(crate) use say;

/// Writes a line to standard error; nothing can be done where that is closed.
pub(crate) fn error_line(line: &str) {
    let line = &crate::printable::printable(line);
    #[cfg(feature = "supervise")]
    if let Some(worker) = crate::supervise::worker() {
        return worker.error(&format!("{line}\n"));
    }
    let _ = writeln_all(line);
}

fn writeln_all(line: &str) -> io::Result<()> {
    use std::io::Write;
    io::stderr().write_all(format!("{line}\n").as_bytes())
}

#[cfg(feature = "import")]
pub(crate) use crate::printable::{Printable, printable};

#[cfg(feature = "supervise")]
mod streams {
    use super::{Path, cannot_write, io, is_standard, printable};
    use crate::supervise::{Streams, worker};
    use std::error::Error;
    use std::io::{IsTerminal, Write};

    /// Whether the standard streams of the command are terminals.
    pub(crate) fn terminals() -> Streams {
        match worker() {
            Some(worker) => worker.streams(),
            None => Streams {
                stdout: io::stdout().is_terminal(),
                stderr: io::stderr().is_terminal(),
            },
        }
    }

    /// Standard output.
    pub(crate) struct Output;

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match worker() {
                Some(worker) => {
                    worker.output(bytes);
                    Ok(bytes.len())
                }
                None => io::stdout().write(bytes),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            match worker() {
                Some(_) => Ok(()),
                None => io::stdout().flush(),
            }
        }
    }

    /// Makes a folder, with those that it is in.
    pub(crate) fn make_folder(path: &Path) -> Result<(), Box<dyn Error>> {
        match worker() {
            Some(worker) => {
                worker.folder(path);
                Ok(())
            }
            None if path.is_file() => Err(format!(
                "{} is a file; a folder is needed: name another one",
                path.display()
            )
            .into()),
            None => std::fs::create_dir_all(path)
                .map_err(|error| format!("cannot make {}: {error}", path.display()).into()),
        }
    }

    /// Writes a whole file, or to standard output if the path says so.
    pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        let result = match (is_standard(path), worker()) {
            (true, _) if terminals().stdout => {
                Output.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())
            }
            (true, _) => Output.write_all(bytes).and_then(|()| Output.flush()),
            (_, Some(worker)) => {
                worker.file(path, bytes);
                Ok(())
            }
            (_, None) => crate::whole::write(path, bytes),
        };
        result.map_err(|error| cannot_write(Some(path), error))
    }
}
#[cfg(feature = "supervise")]
pub(crate) use streams::{Output, make_folder, terminals, write_file};

#[cfg(feature = "supervise")]
pub(crate) use table::drawing_of_steps;
#[cfg(feature = "simulate")]
pub(crate) use table::not_finite;
#[cfg(feature = "supervise")]
pub(crate) use table::{Rows, Table};

/// Tables of results.
#[cfg(feature = "supervise")]
mod table {
    use std::error::Error;
    use std::fs::File;
    use std::io::{self, IsTerminal, Write};
    use std::path::{Path, PathBuf};

    use fmu_results::table::{Cell, Column, CsvWriter, Results, Row, Sink};

    use super::{Printable, cannot_write, count, is_standard, printable, write_file};
    use crate::supervise::{SentTable, worker};

    /// Points per line of a drawing; the eye cannot separate more.
    const POINTS: usize = 4000;

    /// A table that is written as comma-separated values, drawn, or both. Files are created with the first row's
    /// columns, so that a run that fails before it leaves older results alone.
    pub(crate) struct Table {
        csv: Option<PathBuf>,
        plot: Option<PathBuf>,
        title: String,
        writer: Option<CsvWriter<Box<dyn Write>>>,
        results: Option<Results>,
    }

    impl Table {
        /// `csv` and `plot` are paths, `-` for standard output.
        pub fn new(csv: Option<PathBuf>, plot: Option<PathBuf>) -> Table {
            Table {
                csv,
                results: plot.as_ref().map(|_| Results::thinned(POINTS)),
                plot,
                title: String::new(),
                writer: None,
            }
        }

        /// A row per step, written to `trace` and drawn beside the results in `plot`; nothing without `trace`.
        pub fn of_steps(trace: Option<&Path>, plot: Option<&Path>) -> Table {
            Table::new(trace.map(PathBuf::from), drawing_of_steps(trace, plot))
        }

        /// The title of the drawing.
        pub fn set_title(&mut self, title: &str) {
            self.title = title.into();
        }

        /// An error that writing has met, with the path.
        pub fn unwritten(&self, error: io::Error) -> Box<dyn Error> {
            cannot_write(self.csv.as_deref(), error)
        }

        /// Where rows are, for a sentence.
        pub fn place(&self) -> Option<String> {
            let csv = self.csv.as_deref()?;
            Some(match is_standard(csv) {
                true => "on standard output".into(),
                false => format!("in {}", csv.display()),
            })
        }

        /// Writes what is waiting and draws.
        pub fn finish(self) -> Result<(), Box<dyn Error>> {
            let flushed = self.writer.map(CsvWriter::finish).transpose();
            if let (Some(path), Some(results)) = (&self.plot, &self.results)
                && !results.times().is_empty()
            {
                write_file(path, fmu_results::plot::results(&self.title, results).as_bytes())?;
            }
            flushed
                .map(drop)
                .map_err(|error| cannot_write(self.csv.as_deref(), error))
        }
    }

    impl Sink for Table {
        fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
            if let Some(csv) = &self.csv {
                let out: Box<dyn Write> = match is_standard(csv) {
                    true if io::stdout().is_terminal() => Box::new(Printable::new(io::stdout())),
                    true => Box::new(io::stdout()),
                    false => Box::new(File::create(csv)?),
                };
                self.writer = Some(CsvWriter::new(out));
            }
            self.writer.begin(columns)?;
            self.results.begin(columns)
        }

        fn row(&mut self, row: &Row) -> io::Result<()> {
            self.writer.row(row)?;
            self.results.row(row)
        }
    }

    /// Where the steps of `trace` are drawn: beside the results in `plot`.
    pub(crate) fn drawing_of_steps(trace: Option<&Path>, plot: Option<&Path>) -> Option<PathBuf> {
        let drawn = plot.filter(|plot| trace.is_some() && !is_standard(plot));
        drawn.map(|plot| plot.with_extension("trace.svg"))
    }

    /// The rows of a table on their way, and the first value among them that is not finite.
    pub(crate) struct Rows {
        way: Way,
        names: Vec<String>,
        /// The file that they go to, if it is one, and whether it was begun.
        file: Option<PathBuf>,
        begun: bool,
        /// How many have come, and the time of the last one.
        rows: usize,
        time: f64,
        /// Its variable, the time and the value.
        not_finite: Option<(String, f64, f64)>,
    }

    /// Into files here or, in a worker, to the command that started it.
    enum Way {
        Here(Box<Table>),
        Sent(SentTable<'static>),
    }

    impl Rows {
        /// The table of this number with its title.
        pub fn new(number: u8, title: &str, mut table: Table) -> Rows {
            let file = table.csv.clone().filter(|path| !is_standard(path));
            let way = match worker() {
                Some(worker) => Way::Sent(SentTable::new(worker, number, title)),
                None => {
                    table.set_title(title);
                    Way::Here(Box::new(table))
                }
            };
            Rows {
                way,
                names: Vec::new(),
                file,
                begun: false,
                rows: 0,
                time: f64::NAN,
                not_finite: None,
            }
        }

        /// A sentence about the first value that was infinite or not a number, if there was one.
        #[cfg(feature = "couple")]
        pub fn not_finite(&self) -> Option<String> {
            let (name, time, value) = self.not_finite.as_ref()?;
            Some(not_finite(name, *time, *value))
        }

        /// An error of the run, with what it has left in the file.
        pub fn with_rest(&self, error: impl Error + 'static) -> Box<dyn Error> {
            let Some(file) = &self.file else {
                return Box::new(error);
            };
            let shown = file.display();
            let rest = match self.begun {
                true if self.rows == 0 => return Box::new(error),
                true => format!(
                    "{} up to time {} {} in {shown}",
                    count(self.rows, "row"),
                    fmu_results::table::number(self.time),
                    if self.rows == 1 { "is" } else { "are" }
                ),
                false if file.is_file() => format!("{shown} is as it was before this run"),
                false => return Box::new(error),
            };
            Box::new(Unfinished {
                error: Box::new(error),
                rest,
            })
        }

        /// An error that writing has met, with the path.
        pub fn unwritten(&self, error: io::Error) -> Box<dyn Error> {
            match &self.way {
                Way::Here(table) => table.unwritten(error),
                Way::Sent(_) => error.into(),
            }
        }

        /// Writes what is waiting and draws.
        pub fn finish(self) -> Result<(), Box<dyn Error>> {
            match self.way {
                Way::Here(table) => table.finish(),
                Way::Sent(_) => Ok(()),
            }
        }
    }

    /// A sentence about a value that is infinite or not a number.
    pub(crate) fn not_finite(variable: &str, time: f64, value: f64) -> String {
        let (variable, time) = (printable(variable), fmu_results::table::number(time));
        let what = match value.is_nan() {
            true => "not a number (NaN)".into(),
            false => format!("infinite ({value})"),
        };
        format!(
            "{variable} is {what} at time {time}: the results from there on are worthless; look at what \
             the FMU logs (--log), its parameters and its inputs"
        )
    }

    /// An error that ended a run, and what the run has left.
    #[derive(Debug)]
    struct Unfinished {
        error: Box<dyn Error>,
        rest: String,
    }

    impl std::fmt::Display for Unfinished {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}; {}", self.error, self.rest)
        }
    }

    impl Error for Unfinished {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.error.source()
        }
    }

    impl Sink for Rows {
        fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
            self.names = columns.iter().map(|column| column.name.clone()).collect();
            (self.begun, self.rows) = (true, 0);
            match &mut self.way {
                Way::Here(table) => table.begin(columns),
                Way::Sent(table) => table.begin(columns),
            }
        }

        fn row(&mut self, row: &Row) -> io::Result<()> {
            (self.rows, self.time) = (self.rows + 1, row.time);
            if self.not_finite.is_none() {
                let mut cells = row.cells().zip(&self.names);
                self.not_finite = cells.find_map(|(cell, name)| match cell {
                    Cell::Real(value) if !value.is_finite() => Some((name.clone(), row.time, value)),
                    _ => None,
                });
            }
            match &mut self.way {
                Way::Here(table) => table.row(row),
                Way::Sent(table) => table.row(row),
            }
        }
    }
}
