//! Runs that were stopped: where they were when they went on for too long.

use std::collections::HashSet;
use std::panic::Location;

use super::explore::Outcome;
use super::session::with;

/// Runs that may go on for longer than those before them.
const CHANCES: usize = 4;

/// Places in the source.
pub(super) type Places = HashSet<&'static Location<'static>>;

pub(super) struct Stopped {
    /// The places of the last decisions of each run, if no other run was stopped at the same ones.
    pub places: Vec<Places>,
    /// A loop goes on with every answer: each further run may take as long, without an end.
    pub for_good: bool,
    chances: usize,
}

impl Default for Stopped {
    fn default() -> Self {
        Stopped {
            places: Vec::new(),
            for_good: false,
            chances: CHANCES,
        }
    }
}

impl Stopped {
    /// Whether a run that was stopped is to be made again with more patience: not where another one was stopped.
    pub fn may_go_on(&mut self, outcome: &Outcome) -> bool {
        if outcome.circles || self.chances == 0 || self.places.contains(&places(outcome)) {
            return false;
        }
        self.chances -= 1;
        true
    }

    /// Notes where a run was stopped.
    pub fn note(&mut self, outcome: &Outcome) -> Places {
        self.for_good |= outcome.circles;
        let places = places(outcome);
        if !self.places.contains(&places) {
            self.places.push(places.clone());
        }
        places
    }
}

/// Where a run was stopped: the loop has asked the last quarter of its questions.
fn places(outcome: &Outcome) -> Places {
    let asked = &outcome.asked;
    let last = &asked[asked.len() - asked.len().div_ceil(4)..];
    with(|session| {
        let place = |asked: &(u32, bool)| session.decisions[asked.0 as usize].place;
        last.iter().map(place).collect()
    })
}
