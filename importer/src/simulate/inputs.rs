//! What drives the inputs of a simulation: a table or functions.

use std::path::Path;

use super::SimulateError;
use crate::Error;
use fmu_results::table::csv;

/// Inputs of a simulation, by name.
///
/// Of a table, continuous Real variables are interpolated on straight lines and all others are held; two rows with one
/// time are a jump, and every jump and every change of a held value is an event. Before its first and after its last row
/// a table is constant.
///
/// ```
/// use fmu_importer::simulate::Inputs;
///
/// let table = Inputs::table("time,u\n0,0\n1,0\n1,5\n2,5\n")?;
/// let sine = Inputs::function("u", |t| t.sin());
/// # Ok::<(), fmu_importer::simulate::SimulateError>(())
/// ```
#[derive(Default)]
pub struct Inputs {
    pub(super) times: Vec<f64>,
    /// A name and a text for each time.
    pub(super) columns: Vec<(String, Vec<String>)>,
    pub(super) functions: Vec<(String, Function)>,
    /// Where the table is from, for messages.
    pub(super) source: String,
    /// What its first column is called, and the line with the names.
    pub(super) time_name: String,
    pub(super) header: usize,
    pub(super) lines: Vec<usize>,
}

pub(super) type Function = Box<dyn FnMut(f64) -> f64 + Send>;

impl Inputs {
    /// Reads a table of comma-separated values; the first line has the names, the first column is the time.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SimulateError> {
        let path = path.as_ref();
        let text = crate::read_text(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::InvalidData => SimulateError::Input {
                place: path.display().to_string(),
                problem: "this is not a table of inputs: it is not UTF-8 text".into(),
            },
            _ => SimulateError::Fmu(Error::Read {
                path: path.into(),
                source,
            }),
        })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// A table from text.
    pub fn table(text: &str) -> Result<Self, SimulateError> {
        Self::parse(text, "the table of inputs")
    }

    /// One continuous input as a function of time; [`Inputs::and`] adds more. Functions must be continuous.
    pub fn function(name: &str, function: impl FnMut(f64) -> f64 + Send + 'static) -> Self {
        Self::default().and(name, function)
    }

    /// Another input as a function of time.
    pub fn and(mut self, name: &str, function: impl FnMut(f64) -> f64 + Send + 'static) -> Self {
        self.functions.push((name.into(), Box::new(function)));
        self
    }

    fn parse(text: &str, source: &str) -> Result<Self, SimulateError> {
        let wrong = |line: usize, problem: String| SimulateError::Input {
            place: format!("{source}, line {line}"),
            problem,
        };
        let rows = csv::read(text).map_err(|line| wrong(line, "a quoted text has no end".into()))?;
        let Some(((line, header), rows)) = rows.split_first() else {
            return Err(wrong(1, "there are no names".into()));
        };
        if rows.is_empty() {
            return Err(wrong(*line, "there are no values below the names".into()));
        }
        if let Some(problem) = csv::wrong_time_unit(&header[0]) {
            return Err(wrong(*line, problem));
        }
        let mut inputs = Self {
            source: source.into(),
            time_name: header[0].trim().into(),
            header: *line,
            ..Self::default()
        };
        inputs.columns = header[1..]
            .iter()
            .map(|name| (name.trim().into(), Vec::new()))
            .collect();
        for (line, row) in rows {
            if row.len() != header.len() {
                let problem = csv::wrong_length(row, header.len());
                return Err(wrong(*line, problem));
            }
            let time = row[0].trim().parse().ok().filter(|time: &f64| time.is_finite());
            let Some(time) = time else {
                return Err(wrong(*line, format!("`{}` is not a time", row[0].trim())));
            };
            if inputs.times.last().is_some_and(|last| *last > time) {
                return Err(wrong(*line, format!("time goes back to {time}")));
            }
            inputs.times.push(time);
            inputs.lines.push(*line);
            for ((_, values), value) in inputs.columns.iter_mut().zip(&row[1..]) {
                values.push(value.clone());
            }
        }
        Ok(inputs)
    }
}
