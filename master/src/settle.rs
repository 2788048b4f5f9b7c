//! Rounds in which components hand discrete values to each other, until none changes any more.

use std::collections::BTreeMap;

use crate::error::{Alternation, Error};

/// Values that still change after so many rounds change forever.
const ROUNDS: usize = 100;
/// The number of last rounds whose changes are kept.
const REMEMBERED: usize = 20;
/// The number of last values that are shown per variable.
const SHOWN: usize = 4;

/// Counts the rounds at one time, and remembers what changes in the last ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settling {
    rounds: usize,
    changed: bool,
    /// The last values of each subject.
    values: BTreeMap<usize, Vec<String>>,
}

impl Settling {
    /// A subject, by its number, has a new value.
    pub fn change(&mut self, subject: usize, value: impl FnOnce() -> String) {
        self.changed = true;
        if self.rounds + REMEMBERED < ROUNDS {
            return;
        }
        let values = self.values.entry(subject).or_default();
        if values.len() == SHOWN {
            values.remove(0);
        }
        values.push(value());
    }

    /// Ends a round. Returns whether a value has changed in it; too many such rounds are an error, for which `names`
    /// gives source and reader of each subject.
    pub fn end_round(&mut self, time: f64, names: impl Fn(usize) -> (String, String)) -> Result<bool, Error> {
        if !std::mem::take(&mut self.changed) {
            return Ok(false);
        }
        self.rounds += 1;
        if self.rounds < ROUNDS {
            return Ok(true);
        }
        let alternation = |(subject, values): (&usize, &Vec<String>)| {
            let (from, to) = names(*subject);
            let values = values.clone();
            Alternation { from, to, values }
        };
        Err(Error::Alternating {
            time,
            rounds: self.rounds,
            values: self.values.iter().map(alternation).collect(),
        })
    }
}
