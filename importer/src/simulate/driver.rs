//! Drives the inputs of an FMU through a simulation.

use super::SimulateError;
use super::columns::{first_column_is_time, input, once};
use super::inputs::{Function, Inputs};
use crate::{Error, Fmu, Instance, Value};

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
    /// Rows between the first and the last one of a time: where the first of them is, and how many there are.
    between: Option<(String, usize)>,
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
            between: None,
        };
        let mut between = driver
            .times
            .windows(3)
            .zip(inputs.lines.iter().skip(1))
            .filter(|(times, _)| times[0] == times[2]);
        if let Some((_, line)) = between.next() {
            driver.between = Some((format!("{}, line {line}", inputs.source), 1 + between.count()));
        }
        let mut named = Vec::new();
        let header = format!("{}, line {}", inputs.source, inputs.header);
        first_column_is_time(fmu, &inputs.time_name, &header)?;
        for (name, texts) in &inputs.columns {
            let (position, reference, continuous) = input(fmu, name, &header)?;
            once(&mut named, name)?;
            let values = texts.iter().zip(&inputs.lines).map(|(text, line)| {
                fmu.parse_value(position, text)
                    .map_err(|problem| SimulateError::Input {
                        place: format!("{}, line {line}, column {name}", inputs.source),
                        problem,
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
            let (_, reference, continuous) = input(fmu, &name, &format!("input {name}"))?;
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
        driver.rewind(start);
        Ok(driver)
    }

    /// Goes to the start of a simulation.
    pub fn rewind(&mut self, start: f64) {
        let begins = |first: &usize| self.times.get(*first).is_some_and(|time| *time <= start);
        self.segment = self.segments.partition_point(begins).saturating_sub(1);
        self.hint = 0;
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

    /// Warnings for the author of the table, for a simulation that begins at `start`.
    pub fn warnings(&self, start: f64) -> Vec<String> {
        let late = self.times.first().filter(|first| **first > start);
        let warning = late.map(|first| {
            format!(
                "the table of inputs begins at time {first}, after the start at {start}: until then its first values \
                 hold"
            )
        });
        let dropped = self.between.as_ref().map(|(place, rows)| {
            let others = match rows {
                1 => String::new(),
                rows => format!(" (one of {rows} such rows)"),
            };
            format!(
                "{place}: this row has no effect{others}: of rows with one time only the first and the last count"
            )
        });
        warning.into_iter().chain(dropped).collect()
    }

    /// All times at which inputs jump or a slope changes.
    pub fn changes(&self) -> Vec<f64> {
        let mut times = [self.events.as_slice(), &self.kinks].concat();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
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
