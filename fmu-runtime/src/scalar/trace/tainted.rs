//! Unknowns that loops reach: what they depend on is what they are made of at any end of the loops, and what the units
//! compare that change them.
//!
//! A unit is found to change an unknown by two runs that differ in the answers to this unit alone, or to a group of
//! units without those that are known to change it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::arena::{Operand, Supports, scramble};
use super::explore::Outcome;
use super::learn::Learner;
use super::loops::Unit;
use super::session::{Answers, Changed, Looped, with};

/// Pairs of runs that show which unknowns loops reach.
const PAIRS: usize = 24;
/// Bases whose units are changed one by one, and units of a base that can be.
const BASES: usize = 8;
const SINGLES: usize = 48;
/// Pairs of runs that differ in a group of units: as many as these in a row show nothing new.
const QUIET: usize = 32;
/// Ends of loops one turn further: as many as these in a row show nothing new.
const FURTHER: usize = 64;
/// What all that may take.
const RUNS: usize = 6000;
const OPERATIONS: u64 = 60_000_000;
/// Values of an unknown that are kept.
const VALUES: usize = 256;

/// An unknown that loops reach.
#[derive(Default)]
pub(super) struct Tainted {
    pub units: HashSet<Unit>,
    pub values: HashSet<Operand>,
    /// The variables in all values.
    support: u32,
    pub failed: bool,
}

/// What is known of loops while unknowns are learned.
#[derive(Default)]
pub(super) struct Taint {
    pub unknowns: HashMap<usize, Tainted>,
    /// Decisions of loops that were met with one answer only, each with a run that met it.
    one_sided: HashMap<u32, Option<(bool, Rc<Answers>)>>,
    /// How often something new was seen.
    news: usize,
}

impl Learner<'_, '_> {
    /// Notes that loops reach an unknown.
    pub fn taint(&mut self, unknown: usize) {
        self.taint.unknowns.entry(unknown).or_default();
    }

    pub fn is_tainted(&self, unknown: usize) -> bool {
        self.taint.unknowns.contains_key(&unknown)
    }

    /// Notes the values of a run.
    pub fn note_loops(&mut self, answers: &Answers, outcome: &Outcome) {
        let Some(values) = &outcome.values else { return };
        let mut witness: Option<Rc<Answers>> = None;
        for &(decision, answer) in &outcome.in_loops {
            let seen = self.taint.one_sided.entry(decision).or_insert_with(|| {
                let witness = witness.get_or_insert_with(|| Rc::new(answers.clone()));
                Some((answer, witness.clone()))
            });
            if seen.as_ref().is_some_and(|(known, _)| *known != answer) {
                *seen = None;
            }
        }
        with(|session| {
            for (&unknown, tainted) in &mut self.taint.unknowns {
                let value = Operand::from(values[unknown]);
                let supports = &mut session.loops.supports;
                let support = supports.of(&session.arena, value);
                let all = supports.union(tainted.support, support);
                if all != tainted.support {
                    tainted.support = all;
                    self.taint.news += 1;
                    tainted.values.insert(value);
                } else if tainted.values.len() < VALUES {
                    tainted.values.insert(value);
                }
            }
        });
    }

    fn looped(&mut self, seed: u64, changed: Changed) -> Outcome {
        let answers = Answers::Looped(Looped::new(seed, changed));
        let outcome = self.run(&answers);
        self.check(&answers, &outcome);
        outcome
    }

    /// Finds the unknowns that loops reach, before any is learned.
    pub fn find_tainted(&mut self) {
        if !with(|session| session.loops.found()) {
            return;
        }
        for _ in 0..PAIRS {
            let seed = self.fresh_seed();
            let one = self.looped(seed, Changed::Nothing);
            let other = self.looped(seed, Changed::Loops);
            for unknown in differing(&one, &other) {
                self.taint(unknown);
            }
        }
    }

    /// Finds the units that change what loops reach.
    pub fn settle_tainted(&mut self) {
        if !with(|session| session.loops.found()) {
            return;
        }
        let (runs, work) = (self.runs() + RUNS, self.work() + OPERATIONS);
        let spent = |learner: &Self| learner.runs() > runs || learner.work() > work || learner.exhausted();
        self.go_further(&spent);
        for _ in 0..BASES {
            let seed = self.fresh_seed();
            let base = self.looped(seed, Changed::Nothing);
            let units = units(&base);
            if units.len() > SINGLES || spent(self) {
                break;
            }
            for unit in units {
                self.try_units(seed, &base, &[unit]);
            }
        }
        let mut quiet = 0;
        for round in 0.. {
            if quiet == QUIET || self.taint.unknowns.is_empty() {
                return;
            }
            if spent(self) {
                break;
            }
            let seed = self.fresh_seed();
            let base = self.looped(seed, Changed::Nothing);
            let rarity = [2, 4, 8, 3][round % 4];
            let group: Vec<Unit> = units(&base)
                .into_iter()
                .enumerate()
                .filter(|(i, _)| scramble(seed ^ scramble(*i as u64)).is_multiple_of(rarity))
                .map(|(_, unit)| unit)
                .collect();
            quiet = match self.try_units(seed, &base, &group) {
                true => 0,
                false => quiet + 1,
            };
        }
        for tainted in self.taint.unknowns.values_mut() {
            tainted.failed = true;
        }
    }

    /// Changes the answers to some units of a base; whether something is found that was not known.
    fn try_units(&mut self, seed: u64, base: &Outcome, group: &[Unit]) -> bool {
        let news = self.taint.news;
        let changed = self.looped(seed, Changed::these(group));
        for unknown in differing(base, &changed) {
            let explained = |learner: &Self| {
                let known = learner.taint.unknowns.get(&unknown);
                known.is_none_or(|known| group.iter().any(|unit| known.units.contains(unit)))
            };
            if explained(self) {
                continue;
            }
            // The shortest part of the group that makes the difference ends with a unit that matters.
            let (mut same, mut other) = (0, group.len());
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                let between = self.looped(seed, Changed::these(&group[..middle]));
                match differing(base, &between).contains(&unknown) {
                    true => other = middle,
                    false => same = middle,
                }
            }
            self.taint.news += 1;
            if let Some(known) = self.taint.unknowns.get_mut(&unknown) {
                known.units.insert(group[other - 1]);
            }
        }
        news != self.taint.news
    }

    /// Answers decisions of loops in the way that no run did, one turn further each time, until nothing new is seen.
    fn go_further(&mut self, spent: &impl Fn(&Self) -> bool) {
        let mut quiet = 0;
        let mut tried = HashSet::new();
        while quiet < FURTHER && !spent(self) {
            let open = self.taint.one_sided.iter();
            let next = open
                .filter(|(decision, seen)| seen.is_some() && !tried.contains(*decision))
                .map(|(&decision, _)| decision)
                .min();
            let Some(decision) = next else { return };
            tried.insert(decision);
            let Some(Some((answer, witness))) = self.taint.one_sided.get(&decision).cloned() else {
                continue;
            };
            let before = (self.taint.news, compared());
            let answers = witness.but([(decision, !answer)]);
            let outcome = self.run(&answers);
            self.check(&answers, &outcome);
            quiet = match before == (self.taint.news, compared()) {
                true => quiet + 1,
                false => 0,
            };
        }
    }
}

/// What all units compare.
fn compared() -> Vec<u32> {
    with(|session| session.loops.compared.clone())
}

/// The unknowns whose values differ.
fn differing(one: &Outcome, other: &Outcome) -> BTreeSet<usize> {
    let (Some(one), Some(other)) = (&one.values, &other.values) else {
        return BTreeSet::new();
    };
    let pairs = one.iter().zip(other).enumerate();
    pairs
        .filter(|(_, (one, other))| Operand::from(**one) != Operand::from(**other))
        .map(|(unknown, _)| unknown)
        .collect()
}

/// The units that a run asked.
fn units(outcome: &Outcome) -> Vec<Unit> {
    with(|session| {
        let asked = outcome.asked.iter().chain(&outcome.in_loops);
        let units: BTreeSet<Unit> = asked
            .map(|(decision, _)| session.loops.unit_of(*decision))
            .collect();
        units.into_iter().collect()
    })
}

/// What the units compare.
pub(super) fn operands(units: &HashSet<Unit>) -> Vec<Operand> {
    with(|session| {
        let mut operands = Vec::new();
        let mut all = Supports::EMPTY;
        for unit in units {
            match *unit {
                Unit::Single(decision) => {
                    operands.extend(session.decisions[decision as usize].question.operands());
                }
                Unit::Loop(unit) => {
                    let compared = session.loops.compared[unit as usize];
                    all = session.loops.supports.union(all, compared);
                }
            }
        }
        let knowns = session.loops.supports.variables(all).to_vec();
        operands.extend(knowns.into_iter().map(|known| session.arena.known_again(known)));
        operands
    })
}
