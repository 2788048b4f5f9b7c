//! What is recorded of a coupled simulation: values of the coupling, and any other variable of any FMU.

use fmu_importer::{BaseType, Fmu};
use fmu_results::table::{CellType, Column, Row, Values};

use crate::component::ComponentError;
use crate::observe::{Point, Recordable};
use crate::system::NamedUnit;
use crate::{Error, Master};

/// Where a value of the coupling is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An output, by its number in the coupling.
    Output(usize),
    /// An input, by its number in the coupling.
    Input(usize),
}

impl Recordable for Master {
    fn point(&self) -> Point<'_> {
        Master::point(self)
    }

    fn instance(&mut self, component: usize) -> Option<&mut fmu_importer::Instance> {
        self.component(component).as_fmu()
    }
}

/// Reads recorded variables at communication points, without allocation once texts have their size.
#[derive(Debug, Default)]
pub struct Recorder {
    columns: Vec<Column>,
    values: Values,
    /// Values of the coupling, and their positions among the Real ones.
    coupled: Vec<(Source, usize)>,
    /// Positions of Real values that are transformed: factor and offset.
    transformed: Vec<(usize, f64, f64)>,
    /// What is read from instances, component by component.
    read: Vec<Reading>,
}

/// Variables of one component that take no part in the coupling.
#[derive(Debug, Default)]
struct Reading {
    component: usize,
    name: String,
    references: [Vec<u32>; 4],
    /// Positions among the values of that type.
    slots: [Vec<usize>; 4],
    reals: Vec<f64>,
    integers: Vec<i32>,
    booleans: Vec<bool>,
    strings: Vec<String>,
}

impl Recorder {
    /// What the columns are.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values that were read last.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// Adds a variable of a component, by its position in the description; components come one after another.
    pub fn add(
        &mut self,
        fmu: &Fmu,
        component: usize,
        position: usize,
        name: String,
        source: Option<Source>,
    ) {
        let variable = &fmu.description().model_variables[position];
        let base_type = BaseType::of(&variable.kind);
        let slot = self.values.add(base_type.into());
        match source {
            Some(source) => self.coupled.push((source, slot)),
            None => {
                if self.read.last().is_none_or(|last| last.component != component) {
                    self.read.push(Reading {
                        component,
                        ..Reading::default()
                    });
                }
                if let Some(reading) = self.read.last_mut() {
                    let component = name.strip_suffix(&variable.name).unwrap_or(&name);
                    reading.name = component.trim_end_matches('.').to_owned();
                    reading.add(base_type, variable.value_reference, slot);
                }
            }
        }
        self.columns.extend(fmu.column(position).map(|mut column| {
            column.name = name;
            column
        }));
    }

    /// Transforms the variable that was added last, if it is Real, into values of another unit, if it is given.
    pub(crate) fn transform(&mut self, gain: f64, offset: f64, unit: Option<&NamedUnit>) {
        let column = self.columns.last_mut();
        let Some(column) = column.filter(|column| column.cell_type == CellType::Real) else {
            return;
        };
        if let Some(unit) = unit {
            column.unit = Some(unit.name.clone());
        }
        if (gain, offset) != (1.0, 0.0) {
            self.transformed.push((self.values.reals.len() - 1, gain, offset));
        }
    }

    /// The values at the communication point that is reached.
    pub fn read(&mut self, system: &mut dyn Recordable) -> Result<Row<'_>, Error> {
        let point = system.point();
        let time = point.t;
        for &(source, slot) in &self.coupled {
            self.values.reals[slot] = match source {
                Source::Output(output) => point.y[output],
                Source::Input(input) => point.u[input],
            };
        }
        for reading in &mut self.read {
            let read = match system.instance(reading.component) {
                Some(instance) => reading.read(instance, &mut self.values),
                None => Ok(()),
            };
            read.map_err(|source| Error::Component {
                component: reading.name.clone(),
                time,
                source,
            })?;
        }
        for &(slot, gain, offset) in &self.transformed {
            self.values.reals[slot] = gain * self.values.reals[slot] + offset;
        }
        Ok(self.values.row(time, false))
    }
}

impl Reading {
    fn add(&mut self, base_type: BaseType, reference: u32, slot: usize) {
        self.references[base_type as usize].push(reference);
        self.slots[base_type as usize].push(slot);
        match base_type {
            BaseType::Real => self.reals.push(0.0),
            BaseType::Integer => self.integers.push(0),
            BaseType::Boolean => self.booleans.push(false),
            BaseType::String => self.strings.push(String::new()),
        }
    }

    fn read(
        &mut self,
        instance: &mut fmu_importer::Instance,
        values: &mut Values,
    ) -> Result<(), ComponentError> {
        let [reals, integers, booleans, strings] = &self.references;
        if !reals.is_empty() {
            instance.get_reals(reals, &mut self.reals)?;
            spread(&self.reals, &self.slots[0], &mut values.reals);
        }
        if !integers.is_empty() {
            instance.get_integers(integers, &mut self.integers)?;
            spread(&self.integers, &self.slots[1], &mut values.integers);
        }
        if !booleans.is_empty() {
            instance.get_booleans(booleans, &mut self.booleans)?;
            spread(&self.booleans, &self.slots[2], &mut values.booleans);
        }
        if !strings.is_empty() {
            instance.get_strings(strings, &mut self.strings)?;
            for (text, &slot) in self.strings.iter().zip(&self.slots[3]) {
                values.strings[slot].clone_from(text);
            }
        }
        Ok(())
    }
}

fn spread<T: Copy>(from: &[T], slots: &[usize], to: &mut [T]) {
    for (value, &slot) in from.iter().zip(slots) {
        to[slot] = *value;
    }
}
