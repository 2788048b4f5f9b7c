//! What drives the inputs of a simulation: a table or functions.

use std::path::Path;

use fmi::description::{Causality, Variability, VariableKind};

use super::SimulateError;
use crate::table::csv;
use crate::{BaseType, Error, Fmu, Instance, Value};

/// Inputs of a simulation, by name.
///
/// Of a table, continuous Real variables are interpolated on straight lines and all others are held; two rows with one
/// time are a jump, and every jump and every change of a held value is an event. Before its first and after its last row
/// a table is constant.
///
/// ```
/// use importer::simulate::Inputs;
///
/// let table = Inputs::table("time,u\n0,0\n1,0\n1,5\n2,5\n")?;
/// let sine = Inputs::function("u", |t| t.sin());
/// # Ok::<(), importer::simulate::SimulateError>(())
/// ```
#[derive(Default)]
pub struct Inputs {
    times: Vec<f64>,
    /// A name and a text for each time.
    columns: Vec<(String, Vec<String>)>,
    functions: Vec<(String, Function)>,
    /// Where the table is from, for messages.
    source: String,
    lines: Vec<usize>,
}

type Function = Box<dyn FnMut(f64) -> f64 + Send>;

impl Inputs {
    /// Reads a table of comma-separated values; the first line has the names, the first column is the time.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SimulateError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| {
            SimulateError::Fmu(Error::Read {
                path: path.into(),
                source,
            })
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
        let mut inputs = Self {
            source: source.into(),
            ..Self::default()
        };
        inputs.columns = header[1..]
            .iter()
            .map(|name| (name.trim().into(), Vec::new()))
            .collect();
        for (line, row) in rows {
            if row.len() != header.len() {
                let problem = format!("{} values for {} names", row.len(), header.len());
                return Err(wrong(*line, problem));
            }
            let time = row[0].trim().parse().ok().filter(|time: &f64| time.is_finite());
            let Some(time) = time else {
                return Err(wrong(*line, format!("`{}` is no time", row[0].trim())));
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

/// Inputs of one FMU, at some point of time.
pub(super) struct Driver {
    times: Vec<f64>,
    /// The first row of each stretch without a jump.
    segments: Vec<usize>,
    segment: usize,
    /// A row near which the last values were found.
    hint: usize,
    continuous: Vec<Vec<f64>>,
    held: Vec<(u32, Vec<Value>)>,
    functions: Vec<Function>,
    references: Vec<u32>,
    values: Vec<f64>,
    events: Vec<f64>,
    kinks: Vec<f64>,
}

impl Driver {
    pub fn new(fmu: &Fmu, inputs: Inputs, start: f64) -> Result<Self, SimulateError> {
        let mut driver = Self {
            times: inputs.times,
            segments: vec![0],
            segment: 0,
            hint: 0,
            continuous: Vec::new(),
            held: Vec::new(),
            functions: Vec::new(),
            references: Vec::new(),
            values: Vec::new(),
            events: Vec::new(),
            kinks: Vec::new(),
        };
        let mut named = Vec::new();
        for (name, texts) in &inputs.columns {
            let (reference, base_type, continuous) = input(fmu, name)?;
            once(&mut named, name)?;
            let values = texts.iter().zip(&inputs.lines).map(|(text, line)| {
                parse(base_type, text).ok_or_else(|| SimulateError::Input {
                    place: format!("{}, line {line}, column {name}", inputs.source),
                    problem: format!("`{}` is no {base_type}", text.trim()),
                })
            });
            if continuous {
                let numbers = values.map(|value| match value {
                    Ok(Value::Real(number)) => Ok(number),
                    Ok(_) => unreachable!("continuous variables are Real"),
                    Err(error) => Err(error),
                });
                driver.continuous.push(numbers.collect::<Result<_, _>>()?);
                driver.references.push(reference);
            } else {
                driver.held.push((reference, values.collect::<Result<_, _>>()?));
            }
        }
        for (name, function) in inputs.functions {
            let (reference, _, continuous) = input(fmu, &name)?;
            once(&mut named, &name)?;
            if !continuous {
                return Err(SimulateError::Input {
                    place: format!("input {name}"),
                    problem: "only continuous variables can be functions of time".into(),
                });
            }
            driver.functions.push(function);
            driver.references.push(reference);
        }
        driver.values = vec![0.0; driver.references.len()];
        driver.find_events();
        let reached = driver
            .segments
            .partition_point(|first| driver.times.get(*first).is_some_and(|t| *t <= start));
        driver.segment = reached.saturating_sub(1);
        Ok(driver)
    }

    fn find_events(&mut self) {
        for row in 1..self.times.len() {
            let (before, now) = (self.times[row - 1], self.times[row]);
            if before == now {
                self.segments.push(row);
            }
            let jumps = before == now
                && self
                    .continuous
                    .iter()
                    .any(|column| column[row - 1] != column[row]);
            if jumps || self.held.iter().any(|(_, column)| column[row - 1] != column[row]) {
                self.events.push(now);
            }
        }
        self.events.dedup();
        if self.continuous.is_empty() {
            return;
        }
        let slope = |column: &[f64], row: usize| {
            let step = self.times[row + 1] - self.times[row];
            if step > 0.0 {
                (column[row + 1] - column[row]) / step
            } else {
                0.0
            }
        };
        for row in 0..self.times.len() {
            let bends = self.continuous.iter().any(|column| {
                let left = if row > 0 { slope(column, row - 1) } else { 0.0 };
                let right = if row + 1 < self.times.len() {
                    slope(column, row)
                } else {
                    0.0
                };
                (left - right).abs() > 1e-9 * (left.abs() + right.abs())
            });
            if bends {
                self.kinks.push(self.times[row]);
            }
        }
        self.kinks.dedup();
    }

    /// The next time after this one at which inputs jump.
    pub fn next_event(&self, time: f64) -> Option<f64> {
        next(&self.events, time)
    }

    /// The next time after this one at which a slope changes.
    pub fn next_kink(&self, time: f64) -> Option<f64> {
        next(&self.kinks, time)
    }

    /// Whether anything is to be set while time goes on.
    pub fn has_continuous(&self) -> bool {
        !self.references.is_empty()
    }

    /// Goes beyond the jumps at this time.
    pub fn pass(&mut self, time: f64) {
        while self
            .segments
            .get(self.segment + 1)
            .is_some_and(|first| self.times[*first] <= time)
        {
            self.segment += 1;
        }
    }

    fn rows(&self) -> std::ops::Range<usize> {
        let end = self.segments.get(self.segment + 1).copied();
        self.segments[self.segment]..end.unwrap_or(self.times.len())
    }

    fn evaluate(&mut self, time: f64) {
        let rows = self.rows();
        if !self.continuous.is_empty() {
            let times = &self.times[rows.clone()];
            // Mostly time has hardly moved.
            let stays =
                self.hint + 1 < times.len() && times[self.hint] <= time && time < times[self.hint + 1];
            if !stays {
                self.hint = times.partition_point(|t| *t <= time).saturating_sub(1);
            }
            let (left, right) = (
                rows.start + self.hint,
                (rows.start + self.hint + 1).min(rows.end - 1),
            );
            let step = self.times[right] - self.times[left];
            let part = if step > 0.0 {
                ((time - self.times[left]) / step).clamp(0.0, 1.0)
            } else {
                0.0
            };
            for (value, column) in self.values.iter_mut().zip(&self.continuous) {
                *value = column[left] + part * (column[right] - column[left]);
            }
        }
        for (value, function) in self.values[self.continuous.len()..]
            .iter_mut()
            .zip(&mut self.functions)
        {
            *value = function(time);
        }
    }

    /// Sets the continuous inputs.
    pub fn set_continuous(&mut self, instance: &mut Instance, time: f64) -> Result<(), Error> {
        if self.references.is_empty() {
            return Ok(());
        }
        self.evaluate(time);
        instance.set_reals(&self.references, &self.values)
    }

    /// The slopes of the continuous inputs from here to a later time, beside their value references.
    pub fn slopes(&mut self, time: f64, step: f64) -> (&[u32], Vec<f64>) {
        self.evaluate(time);
        let before = self.values.clone();
        self.evaluate(time + step);
        let slopes = before
            .iter()
            .zip(&self.values)
            .map(|(a, b)| (b - a) / step)
            .collect();
        (&self.references, slopes)
    }

    /// Sets the inputs that change at events only.
    pub fn set_held(&mut self, instance: &mut Instance, time: f64) -> Result<(), Error> {
        if self.held.is_empty() {
            return Ok(());
        }
        let rows = self.rows();
        let row = rows.start + self.times[rows].partition_point(|t| *t <= time).saturating_sub(1);
        for (reference, column) in &self.held {
            instance.set_value(*reference, &column[row])?;
        }
        Ok(())
    }
}

fn next(times: &[f64], time: f64) -> Option<f64> {
    times.get(times.partition_point(|event| *event <= time)).copied()
}

/// Whoever is driven twice is driven wrongly.
fn once(named: &mut Vec<String>, name: &str) -> Result<(), SimulateError> {
    if named.iter().any(|other| other == name) {
        return Err(SimulateError::Input {
            place: format!("input {name}"),
            problem: "it is given twice".into(),
        });
    }
    named.push(name.into());
    Ok(())
}

fn input(fmu: &Fmu, name: &str) -> Result<(u32, BaseType, bool), SimulateError> {
    let variable = fmu.variable(name)?;
    if variable.causality != Causality::Input {
        return Err(SimulateError::Input {
            place: format!("input {name}"),
            problem: format!(
                "{name} of {} is no input; set it once before the simulation",
                fmu.name()
            ),
        });
    }
    let continuous =
        variable.variability == Variability::Continuous && matches!(variable.kind, VariableKind::Real { .. });
    Ok((variable.value_reference, BaseType::of(&variable.kind), continuous))
}

/// A value as tables of other tools write it: `1.0` may be an integer, `True` a Boolean.
fn parse(base_type: BaseType, text: &str) -> Option<Value> {
    let number = || text.trim().parse::<f64>().ok();
    Value::parse(base_type, text).or_else(|| match base_type {
        BaseType::Integer => number()
            .filter(|value| value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX))
            .map(|value| Value::Integer(value as i32)),
        BaseType::Boolean => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Boolean(true)),
            "false" => Some(Value::Boolean(false)),
            _ => number()
                .filter(|value| *value == 0.0 || *value == 1.0)
                .map(|value| Value::Boolean(value == 1.0)),
        },
        BaseType::Real | BaseType::String => None,
    })
}
