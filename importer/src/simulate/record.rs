//! What is recorded of a simulation, and who takes it.

use std::io;

use fmi::description::{Causality, Variability};

use crate::{BaseType, Error, Fmu, Glob, Instance};

/// A recorded variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// Its type.
    pub base_type: BaseType,
    /// Whether it changes at events only.
    pub discrete: bool,
}

/// One value of a [`Row`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Of a Real variable.
    Real(f64),
    /// Of an Integer or Enumeration variable.
    Integer(i32),
    /// Of a Boolean variable.
    Boolean(bool),
    /// Of a String variable.
    String(&'a str),
}

impl Cell<'_> {
    /// As a number: 0 or 1 for a Boolean, none for a text.
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
    /// When.
    pub time: f64,
    /// Whether an event begins or has just been handled here.
    pub event: bool,
    values: &'a Values,
}

impl Row<'_> {
    /// The values in the order of the columns.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.values.slots.iter().map(|(base_type, at)| match base_type {
            BaseType::Real => Cell::Real(self.values.reals[*at]),
            BaseType::Integer => Cell::Integer(self.values.integers[*at]),
            BaseType::Boolean => Cell::Boolean(self.values.booleans[*at]),
            BaseType::String => Cell::String(&self.values.strings[*at]),
        })
    }
}

/// Takes what is recorded.
pub trait Sink {
    /// Before the first row.
    fn begin(&mut self, columns: &[Column]) -> io::Result<()>;

    /// The next row; times never decrease.
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

/// Reads recorded variables, without allocation once the texts have their size.
pub(super) struct Recorder {
    pub columns: Vec<Column>,
    references: [Vec<u32>; 4],
    values: Values,
}

#[derive(Default)]
struct Values {
    slots: Vec<(BaseType, usize)>,
    reals: Vec<f64>,
    integers: Vec<i32>,
    booleans: Vec<bool>,
    strings: Vec<String>,
}

impl Recorder {
    /// The variables that fit one of the patterns; without patterns the outputs, or the states where there are none.
    pub fn new(fmu: &Fmu, patterns: &[Glob]) -> Result<Self, Error> {
        let variables = &fmu.description().model_variables;
        let states: Vec<usize> = fmu.continuous_states()?.iter().map(|state| state.state).collect();
        let has_outputs = variables
            .iter()
            .any(|variable| variable.causality == Causality::Output);
        let wanted = |position: usize| {
            let variable = &variables[position];
            match patterns {
                _ if variable.causality == Causality::Independent => false,
                [] if has_outputs => variable.causality == Causality::Output,
                [] => states.contains(&position),
                patterns => patterns.iter().any(|pattern| pattern.matches(&variable.name)),
            }
        };
        let mut recorder = Self {
            columns: Vec::new(),
            references: Default::default(),
            values: Values::default(),
        };
        for position in (0..variables.len()).filter(|position| wanted(*position)) {
            let variable = &variables[position];
            let base_type = BaseType::of(&variable.kind);
            let references = &mut recorder.references[base_type as usize];
            recorder.values.slots.push((base_type, references.len()));
            references.push(variable.value_reference);
            recorder.columns.push(Column {
                name: variable.name.clone(),
                unit: fmu
                    .real_attributes(position)
                    .and_then(|attributes| attributes.unit.clone()),
                base_type,
                discrete: base_type != BaseType::Real || variable.variability != Variability::Continuous,
            });
        }
        let [reals, integers, booleans, strings] = recorder.references.each_ref().map(Vec::len);
        let values = &mut recorder.values;
        values.reals.resize(reals, 0.0);
        values.integers.resize(integers, 0);
        values.booleans.resize(booleans, false);
        values.strings.resize(strings, String::new());
        Ok(recorder)
    }

    pub fn read(&mut self, instance: &mut Instance, time: f64, event: bool) -> Result<Row<'_>, Error> {
        let [reals, integers, booleans, strings] = &self.references;
        let values = &mut self.values;
        if !reals.is_empty() {
            instance.get_reals(reals, &mut values.reals)?;
        }
        if !integers.is_empty() {
            instance.get_integers(integers, &mut values.integers)?;
        }
        if !booleans.is_empty() {
            instance.get_booleans(booleans, &mut values.booleans)?;
        }
        if !strings.is_empty() {
            instance.get_strings(strings, &mut values.strings)?;
        }
        Ok(Row {
            time,
            event,
            values: &self.values,
        })
    }
}
