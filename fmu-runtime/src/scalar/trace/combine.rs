//! All combinations of few parts: what shows only where many decisions are taken in one certain way.
//!
//! A combination of ten flags is met by one random run in a thousand. But the decisions of a program are few places
//! in its source, and those of a loop are the same place again and again. So places, and where there are few decisions at
//! a place these themselves, are taken through all their combinations, as many as there is time for.

use std::collections::HashMap;

use super::learn::Learner;
use super::session::{Part, Property, Question, with};

/// Parts that are taken through all their combinations: at most, and as many as these operations allow.
const PARTS: usize = 12;
const OPERATIONS: u64 = 40_000_000;

/// Compares runs with what was learned.
pub(super) fn confirm(learner: &mut Learner) {
    let parts = parts(learner);
    let Some(cost) = cost(learner, &parts) else { return };
    let affordable = (OPERATIONS / cost.max(1)).max(1).ilog2() as usize;
    let all = parts.len() <= PARTS.min(affordable);
    let runs = 1usize << parts.len().min(PARTS).min(affordable);
    for number in 0..runs {
        let answer = |i: usize| match all {
            true => number >> i & 1 == 1,
            false => super::arena::scramble((number * parts.len() + i) as u64) & 1 == 1,
        };
        learner.run_parts(parts.iter().enumerate().map(|(i, &part)| (part, answer(i))));
        if learner.exhausted() {
            return;
        }
    }
}

/// The places of the decisions met, those with few decisions as single ones.
fn parts(learner: &Learner) -> Vec<Part> {
    let mut at: HashMap<Part, Vec<u32>> = HashMap::new();
    with(|session| {
        for decision in learner.decisions() {
            let known = &session.decisions[decision as usize];
            let part = match known.question {
                // The bits of all discrete variables are asked at one place, and have nothing in common.
                Question::Has(Property::Bit(_), _) => Part::Single(decision),
                _ => Part::Place(known.place),
            };
            at.entry(part).or_default().push(decision);
        }
    });
    let mut at: Vec<(Part, Vec<u32>)> = at.into_iter().collect();
    at.sort_unstable_by_key(|(_, decisions)| (decisions.len(), decisions[0]));
    let mut room = PARTS.saturating_sub(at.len());
    let mut parts = Vec::new();
    for (part, decisions) in at {
        let more = decisions.len() - 1;
        if more <= room {
            room -= more;
            parts.extend(decisions.into_iter().map(Part::Single));
        } else {
            parts.push(part);
        }
    }
    parts
}

/// The operations that a run takes.
fn cost(learner: &mut Learner, parts: &[Part]) -> Option<u64> {
    if parts.is_empty() {
        return None;
    }
    let before = learner.work();
    learner.run_parts(parts.iter().map(|&part| (part, true)));
    Some(learner.work() - before)
}
