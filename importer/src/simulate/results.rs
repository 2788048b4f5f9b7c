//! Results in memory.

use std::io;

use super::{Cell, Column, Row, Sink};

/// Recorded rows, kept column by column.
#[derive(Clone, Debug, Default)]
pub struct Results {
    columns: Vec<Column>,
    times: Vec<f64>,
    events: Vec<bool>,
    data: Vec<Data>,
}

#[derive(Clone, Debug)]
enum Data {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Results {
    /// The recorded variables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The time of each row.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// For each row, whether it is beside an event.
    pub fn events(&self) -> &[bool] {
        &self.events
    }

    /// When there were events.
    pub fn event_times(&self) -> Vec<f64> {
        let marked = self.times.iter().zip(&self.events).filter(|(_, event)| **event);
        let mut times: Vec<f64> = marked.map(|(time, _)| *time).collect();
        times.dedup();
        times
    }

    /// The values of a variable, one for each row; Booleans are 0 and 1. None if it is a text or not recorded.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match &self.data[self.position(name)?] {
            Data::Numbers(numbers) => Some(numbers),
            Data::Texts(_) => None,
        }
    }

    /// The values of a text variable, one for each row.
    pub fn texts(&self, name: &str) -> Option<&[String]> {
        match &self.data[self.position(name)?] {
            Data::Texts(texts) => Some(texts),
            Data::Numbers(_) => None,
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Sink for Results {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        let data = |column: &Column| match column.base_type {
            crate::BaseType::String => Data::Texts(Vec::new()),
            _ => Data::Numbers(Vec::new()),
        };
        self.data = columns.iter().map(data).collect();
        self.columns = columns.to_vec();
        Ok(())
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.times.push(row.time);
        self.events.push(row.event);
        for (cell, data) in row.cells().zip(&mut self.data) {
            match (cell, data) {
                (Cell::String(text), Data::Texts(texts)) => texts.push(text.into()),
                (cell, Data::Numbers(numbers)) => numbers.push(cell.number().unwrap_or(f64::NAN)),
                (_, Data::Texts(texts)) => texts.push(String::new()),
            }
        }
        Ok(())
    }
}
