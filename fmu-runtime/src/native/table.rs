//! The values of a model over time, as plain columns.

use crate::ModelError;
use crate::describe::{Base, Role, described};
use crate::evaluator::{Evaluator, Stale};
use crate::model::Model;

/// The values of all variables of a model but its texts, over time. Booleans are 0 and 1, items of enumerations are their
/// values, and the derivative of a state `x` is the column `der(x)`.
///
/// At an event there are two rows with the same time: the values before and after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    names: Vec<String>,
    places: Vec<Place>,
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Real(usize),
    Integer(usize),
    Boolean(usize),
}

impl Table {
    /// Without rows.
    pub(super) fn of<M: Model>() -> Result<Table, ModelError> {
        let described = described::<M>()?;
        let mut table = Table::default();
        let mut states = Vec::new();
        for (variable, element) in described.elements() {
            let (slot, name) = (variable.slot + element, variable.element_name(element));
            let place = match variable.base() {
                Base::Real => Place::Real(slot),
                Base::Integer => Place::Integer(slot),
                Base::Boolean => Place::Boolean(slot),
                Base::String => continue,
            };
            if variable.field.role == Role::State {
                states.push(format!("der({name})"));
            }
            table.names.push(name);
            table.places.push(place);
        }
        for (number, name) in states.into_iter().enumerate() {
            table.names.push(name);
            table.places.push(Place::Real(M::COUNTS.reals + number));
        }
        table.columns = vec![Vec::new(); table.names.len()];
        Ok(table)
    }

    /// Appends a row.
    pub(super) fn push<M: Model>(&mut self, evaluator: &mut Evaluator<M>) -> Result<(), ModelError> {
        evaluator.ensure(Stale::FOR_OUTPUTS | Stale::FOR_DERIVATIVES)?;
        self.times.push(evaluator.time());
        for (place, column) in self.places.iter().zip(&mut self.columns) {
            column.push(match *place {
                Place::Real(slot) => evaluator.real(slot),
                Place::Integer(slot) => f64::from(evaluator.model().integer(slot)),
                Place::Boolean(slot) => f64::from(evaluator.model().boolean(slot)),
            });
        }
        Ok(())
    }

    /// Whether the last row is at `t`.
    pub(super) fn ends_at(&self, t: f64) -> bool {
        self.times.last() == Some(&t)
    }

    /// The names of the columns, time not counted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The time of each row.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The values of a variable, one per row.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(&self.columns[at])
    }

    /// Time and value of a variable, one pair per row: what a plot needs. Empty if there is no such variable.
    pub fn points(&self, name: &str) -> Vec<(f64, f64)> {
        let values = self.column(name).unwrap_or_default();
        self.times.iter().copied().zip(values.iter().copied()).collect()
    }

    /// The table as text: comma-separated values with a line of names.
    pub fn to_csv(&self) -> String {
        let quoted = |name: &String| match name.contains([',', '"']) {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.clone(),
        };
        let mut text = String::from("time");
        for name in &self.names {
            text.push(',');
            text.push_str(&quoted(name));
        }
        for (row, time) in self.times.iter().enumerate() {
            text.push_str(&format!("\n{time}"));
            for column in &self.columns {
                text.push_str(&format!(",{}", column[row]));
            }
        }
        text.push('\n');
        text
    }
}
