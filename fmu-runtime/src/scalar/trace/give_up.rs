//! What could not be learned: which unknowns depend on everything, and why.

use std::collections::HashMap;

use super::learn::Learner;
use super::session::with;

impl Learner<'_, '_> {
    pub fn give_up(&mut self, unknown: usize, why: &str) {
        let tree = &mut self.trees[unknown];
        if tree.failed.is_some() {
            return;
        }
        let place = tree
            .decisions
            .first()
            .map(|&d| with(|session| session.decisions[d as usize].place));
        tree.failed = Some(match place {
            Some(place) => format!(
                "{why} (the first at {}:{}:{})",
                place.file(),
                place.line(),
                place.column()
            ),
            None => why.to_owned(),
        });
    }

    /// The values of a run that was stopped are not known. The unknowns that depend on the decisions where it was stopped
    /// in other runs are given up; if there are none, all unknowns are.
    pub fn give_up_stopped(&mut self) {
        let place = |decision: &u32| with(|session| session.decisions[*decision as usize].place);
        for places in std::mem::take(&mut self.stopped.places) {
            let reached: Vec<usize> = (0..self.trees.len())
                .filter(|&unknown| {
                    let decisions = &self.trees[unknown].decisions;
                    decisions.iter().any(|d| places.contains(place(d)))
                })
                .collect();
            let all: Vec<usize> = (0..self.trees.len()).collect();
            for &unknown in if reached.is_empty() { &all } else { &reached } {
                self.give_up(unknown, "a loop that it may depend on did not come to an end");
            }
        }
    }

    /// A decision that was never taken both ways may matter to every unknown to which others at the same place in the
    /// source matter.
    pub fn give_up_undecided(&mut self) {
        let place = |decision: u32| with(|session| session.decisions[decision as usize].place);
        let mut undecided: HashMap<_, bool> = HashMap::new();
        for (&decision, met) in &self.met {
            if met.answers != [true; 2] {
                undecided.entry(place(decision)).or_insert(false);
            }
        }
        if undecided.is_empty() {
            return;
        }
        for (&decision, met) in &self.met {
            if met.answers == [true; 2] {
                undecided
                    .entry(place(decision))
                    .and_modify(|decided_elsewhere| *decided_elsewhere = true);
            }
        }
        let unknown_reach = undecided.values().any(|decided_elsewhere| !decided_elsewhere);
        for unknown in 0..self.trees.len() {
            let tree = &self.trees[unknown];
            let reached = unknown_reach || tree.decisions.iter().any(|&d| undecided.contains_key(place(d)));
            if reached && tree.failed.is_none() {
                self.give_up(
                    unknown,
                    "decisions that it depends on could not all be taken both ways",
                );
            }
        }
    }
}
