//! Which decisions may matter to which unknown, for all unknowns at once.
//!
//! By group testing: decisions are changed in groups against a base, and whatever was changed while an unknown
//! stayed the same does not matter to it there. Few decisions are changed one by one instead. Decisions that a
//! base does not meet are left to other bases.

use std::collections::{HashMap, HashSet};

use super::arena::{Operand, scramble};
use super::explore::Outcome;
use super::learn::Learner;
use super::session::Answers;
use super::tree::Tree;

/// Bases at most.
const BASES: usize = 10;
/// Random runs that the trees are made from.
const SAMPLES: usize = 256;
/// Decisions that are tried one by one at most, with one base.
const SINGLES: usize = 4096;

/// Gives every unknown its candidates and a tree; false if no run came to an end.
pub(super) fn plant(learner: &mut Learner) -> bool {
    let Some((first, outcome)) = base(learner) else {
        return false;
    };
    let unknowns = outcome.values.as_ref().map_or(0, Vec::len);
    learner.limit_runs(outcome.asked.len());
    learner.candidates = vec![Vec::new(); unknowns];
    let opposite = first.but(
        outcome
            .asked
            .iter()
            .map(|&(decision, answer)| (decision, !answer)),
    );
    let mut samples = vec![(first, outcome), {
        let outcome = learner.run(&opposite);
        (opposite, outcome)
    }];
    while samples.len() < SAMPLES {
        let answers = Answers::random(learner.fresh_seed(), 128);
        let outcome = learner.run(&answers);
        samples.push((answers, outcome));
    }
    // A base for each decision, and the first two in any case: with the opposite answers, every decision that
    // one other guards is met in one of them.
    let mut screened: HashSet<u32> = HashSet::new();
    for base in 0..BASES {
        let gain = |sample: &(Answers, Outcome)| match sample.1.values {
            Some(_) => sample
                .1
                .asked
                .iter()
                .filter(|asked| !screened.contains(&asked.0))
                .count(),
            None => 0,
        };
        let best = match base {
            0 | 1 => base,
            _ => (0..samples.len())
                .max_by_key(|&i| (gain(&samples[i]), samples.len() - i))
                .unwrap_or(0),
        };
        // What is left is found where it makes a difference.
        if base > 1 && gain(&samples[best]) * 50 <= screened.len() {
            break;
        }
        let (answers, outcome) = &samples[best];
        screened.extend(outcome.asked.iter().map(|asked| asked.0));
        screen(learner, answers, outcome);
    }
    learner.trees = (0..unknowns).map(|_| Tree::empty()).collect();
    for (answers, outcome) in &samples {
        learner.check(answers, outcome);
    }
    true
}

/// A combination of answers along which the equations come to an end with values.
fn base(learner: &mut Learner) -> Option<(Answers, Outcome)> {
    (0..32).find_map(|_| {
        let answers = Answers::random(learner.fresh_seed(), 128);
        let outcome = learner.run(&answers);
        outcome.values.is_some().then_some((answers, outcome))
    })
}

/// Adds the decisions that matter where a base meets them.
fn screen(learner: &mut Learner, base: &Answers, outcome: &Outcome) {
    let Some(values) = &outcome.values else { return };
    let values: Vec<Operand> = values.iter().map(|&value| value.into()).collect();
    let asked = &outcome.asked;
    let rounds = 24 + 16 * (usize::BITS - asked.len().leading_zeros()) as usize;
    let mut single = Singles {
        base,
        asked,
        values: &values,
        seen: HashMap::new(),
    };
    if asked.len() <= rounds {
        for (i, &(decision, _)) in asked.iter().enumerate() {
            for unknown in single.changed(learner, i) {
                learner.suspect(unknown, decision);
            }
        }
        return;
    }
    let words = asked.len().div_ceil(64);
    let has = |set: &[u64], i: usize| set[i / 64] >> (i % 64) & 1 == 1;
    let mut possible = vec![vec![u64::MAX; words]; values.len()];
    let mut cleared_once = vec![vec![0u64; words]; values.len()];
    // The groups, each with the unknowns that it changed.
    let mut groups: Vec<(Vec<u64>, Vec<usize>)> = Vec::new();
    for round in 0..rounds {
        let mut group = vec![0u64; words];
        let seed = learner.fresh_seed();
        let rarity = if round % 2 == 0 { 8 } else { 24 };
        for i in (0..asked.len()).filter(|&i| scramble(seed ^ scramble(i as u64)).is_multiple_of(rarity)) {
            group[i / 64] |= 1 << (i % 64);
        }
        let flips = asked.iter().enumerate().filter(|&(i, _)| has(&group, i));
        let answers = base.but(flips.map(|(_, &(decision, answer))| (decision, !answer)));
        let Some(seen) = learner.run(&answers).values else {
            continue;
        };
        let mut changed = Vec::new();
        for (unknown, value) in seen.into_iter().enumerate() {
            if Operand::from(value) != values[unknown] {
                changed.push(unknown);
                continue;
            }
            // Two effects may cancel out: only what made no difference twice is cleared.
            let sets = possible[unknown]
                .iter_mut()
                .zip(&mut cleared_once[unknown])
                .zip(&group);
            for ((possible, once), group) in sets {
                *possible &= !(group & *once);
                *once |= group;
            }
        }
        groups.push((group, changed));
    }
    // Where just one of the possible decisions was changed, it is certain.
    let mut certain: Vec<HashSet<usize>> = vec![HashSet::new(); values.len()];
    for (group, changed) in &groups {
        for &unknown in changed {
            let mut both = group
                .iter()
                .zip(&possible[unknown])
                .map(|(a, b)| a & b)
                .enumerate();
            let Some((word, bits)) = both.find(|(_, bits)| *bits != 0) else {
                continue;
            };
            if bits.is_power_of_two() && both.all(|(_, bits)| bits == 0) {
                certain[unknown].insert(64 * word + bits.trailing_zeros() as usize);
            }
        }
    }
    for unknown in 0..values.len() {
        for i in (0..asked.len()).filter(|&i| has(&possible[unknown], i)) {
            if certain[unknown].contains(&i) || single.changed(learner, i).contains(&unknown) {
                learner.suspect(unknown, asked[i].0);
            }
        }
    }
}

/// Single decisions changed against a base.
struct Singles<'s> {
    base: &'s Answers,
    asked: &'s [(u32, bool)],
    values: &'s [Operand],
    seen: HashMap<usize, HashSet<usize>>,
}

impl Singles<'_> {
    /// The unknowns that the `i`-th decision of the base changes.
    fn changed(&mut self, learner: &mut Learner, i: usize) -> HashSet<usize> {
        if let Some(known) = self.seen.get(&i) {
            return known.clone();
        }
        if self.seen.len() >= SINGLES {
            return HashSet::new();
        }
        let (decision, answer) = self.asked[i];
        let seen = learner
            .run(&self.base.but([(decision, !answer)]))
            .values
            .unwrap_or_default();
        let differs =
            |&(unknown, value): &(usize, &super::Trace)| Operand::from(*value) != self.values[unknown];
        let changed: HashSet<usize> = seen
            .iter()
            .enumerate()
            .filter(differs)
            .map(|(unknown, _)| unknown)
            .collect();
        self.seen.insert(i, changed.clone());
        changed
    }
}
