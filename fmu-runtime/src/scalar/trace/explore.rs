//! The exploration: runs along different decisions, and what the unknowns depend on in the end.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::Ordering;

use super::Trace;
use super::arena::{Operand, varies};
use super::diagram::{Diagram, Diagrams, NOTHING};
use super::factors::{Factor, factors};
use super::learn;
use super::session::{self, Answers, Endless, Session, with};
use crate::pattern::{Class, Exploration, Kind, UnknownDependencies};

/// All paths are run where there are no more than this.
pub(super) const PATHS: usize = 1 << 14;
/// A path with more decisions than this is not one of few.
const DEPTH: usize = 24;
/// All paths are run only if that takes no more operations than this.
const OPERATIONS: u64 = 20_000_000;
/// No run makes the expressions of an exploration more than this.
const NODES: usize = 8_000_000;

/// What one run of the equations gave.
#[derive(Default)]
pub(super) struct Outcome {
    /// The decisions met, in order.
    pub asked: Vec<(u32, bool)>,
    /// One value per unknown, if the equations had values on this path.
    pub values: Option<Vec<Trace>>,
    /// Whether the run was stopped.
    pub endless: bool,
    /// Whether that was in a loop that goes on with every answer.
    pub circles: bool,
}

pub(super) struct Explorer<'e> {
    evaluate: &'e mut dyn FnMut(&[Trace]) -> Option<Vec<Trace>>,
    knowns: Vec<Trace>,
    pub unknowns: usize,
    pub runs: usize,
}

impl Explorer<'_> {
    pub fn run(&mut self, answers: Answers, asked_limit: usize) -> Outcome {
        self.runs += 1;
        with(|session| session.run.begin(answers, asked_limit, NODES));
        let result = quietly(|| catch_unwind(AssertUnwindSafe(|| (self.evaluate)(&self.knowns))));
        let (asked, circles) = with(|session| (session.run.asked.clone(), session.run.circles()));
        let endless = matches!(&result, Err(payload) if payload.is::<Endless>());
        let values = result.ok().flatten();
        if let Some(values) = &values {
            if self.unknowns == 0 {
                self.unknowns = values.len();
            }
            assert_eq!(
                values.len(),
                self.unknowns,
                "equations must return as many unknowns on every path"
            );
        }
        Outcome {
            asked,
            values,
            endless,
            circles: endless && circles,
        }
    }

    /// Whether there is no room for more expressions, so that runs are stopped.
    pub fn full(&self) -> bool {
        with(|session| session.arena.len() >= NODES)
    }

    /// Work done so far: operations on expressions, and values looked at.
    pub fn work(&self) -> u64 {
        with(|session| session.arena.operations) + (self.runs * self.unknowns) as u64
    }

    /// Runs every path, if they are few: one diagram per unknown.
    fn every_path(&mut self, paths: usize, diagrams: &mut Diagrams) -> Option<Vec<Diagram>> {
        struct Fork {
            decision: u32,
            no: Option<Vec<Diagram>>,
        }
        let mut forks: Vec<Fork> = Vec::new();
        let mut path: Vec<bool> = Vec::new();
        for _ in 0..paths {
            let outcome = self.run(Answers::List(path.clone()), DEPTH + 1);
            let replayed = outcome
                .asked
                .iter()
                .zip(&forks)
                .all(|(asked, fork)| asked.0 == fork.decision);
            if outcome.endless
                || outcome.asked.len() > DEPTH
                || outcome.asked.len() < forks.len()
                || !replayed
                || self.work() > OPERATIONS
            {
                return None;
            }
            for &(decision, answer) in &outcome.asked[forks.len()..] {
                forks.push(Fork { decision, no: None });
                path.push(answer);
            }
            let mut here = match outcome.values {
                Some(values) => values.into_iter().map(|value| diagrams.value(value)).collect(),
                None => Vec::new(),
            };
            // Back to the last decision that was not taken both ways yet.
            loop {
                let Some(mut fork) = forks.pop() else {
                    return Some(here);
                };
                path.pop();
                match fork.no {
                    None => {
                        fork.no = Some(here);
                        forks.push(fork);
                        path.push(true);
                        break;
                    }
                    Some(no) if no.is_empty() => {}
                    Some(no) if here.is_empty() => here = no,
                    Some(no) => {
                        for (here, no) in here.iter_mut().zip(no) {
                            *here = diagrams.merge(fork.decision, no, *here);
                        }
                    }
                }
            }
        }
        None
    }
}

/// See [`crate::pattern::explore`].
pub(crate) fn explore(
    classes: &[Class],
    evaluate: &mut dyn FnMut(&[Trace]) -> Option<Vec<Trace>>,
) -> Exploration {
    explore_paths(classes, evaluate, PATHS)
}

/// Explores, and runs every path where there are no more than `paths`.
pub(super) fn explore_paths(
    classes: &[Class],
    evaluate: &mut dyn FnMut(&[Trace]) -> Option<Vec<Trace>>,
    paths: usize,
) -> Exploration {
    with(|session| *session = Session::default());
    let knowns: Vec<Trace> = with(|session| {
        let mark = |(index, class): (usize, &Class)| session.arena.known(index as u32, mark(*class));
        session.knowns = classes.iter().enumerate().map(mark).collect();
        session.knowns.clone()
    });
    let mut explorer = Explorer {
        evaluate,
        knowns,
        unknowns: 0,
        runs: 0,
    };
    let mut diagrams = Diagrams::new();
    let (found, every_path) = match explorer.every_path(paths, &mut diagrams) {
        Some(exact) => (exact.into_iter().map(Ok).collect(), true),
        None => (learn::learn(&mut explorer, &mut diagrams), false),
    };
    let mut summary = Summary { classes, diagrams };
    let unknowns = found
        .into_iter()
        .map(|found| summary.dependencies(found))
        .collect();
    // Gives the memory back; the next exploration starts afresh anyway.
    session::end();
    Exploration {
        unknowns,
        every_path,
        runs: explorer.runs,
    }
}

fn mark(class: Class) -> u8 {
    match class {
        Class::State | Class::Input | Class::Time => varies::LIVE,
        Class::Discrete => varies::DISCRETE,
        Class::Tunable => varies::TUNABLE,
        Class::Fixed => varies::FIXED,
        Class::Constant => 0,
    }
}

/// The kind of a dependency by a factor that varies so.
fn kind(varies: u8) -> Kind {
    match varies {
        0 => Kind::Constant,
        varies if varies & varies::LIVE != 0 => Kind::Dependent,
        varies if varies & varies::DISCRETE != 0 => Kind::Discrete,
        varies if varies & varies::TUNABLE != 0 => Kind::Tunable,
        _ => Kind::Fixed,
    }
}

struct Summary<'s> {
    classes: &'s [Class],
    diagrams: Diagrams,
}

impl Summary<'_> {
    fn dependencies(&mut self, found: Result<Diagram, String>) -> UnknownDependencies {
        match found {
            Ok(NOTHING) => self.dense("the equations gave no value on any path".to_owned()),
            Ok(diagram) => self.sparse(diagram),
            Err(reason) => self.dense(reason),
        }
    }

    fn dense(&self, reason: String) -> UnknownDependencies {
        let on = (0..self.classes.len())
            .map(|known| (known, Kind::Dependent))
            .collect();
        UnknownDependencies {
            on,
            dense: Some(reason),
        }
    }

    fn sparse(&mut self, diagram: Diagram) -> UnknownDependencies {
        let (decisions, values) = self.diagrams.contents(diagram);
        let mut kinds: HashMap<u32, Kind> = HashMap::new();
        let operands: Vec<Operand> = with(|session| {
            decisions
                .iter()
                .flat_map(|&d| session.decisions[d as usize].question.operands())
                .collect()
        });
        with(|session| {
            session.arena.support(&operands, |known| {
                kinds.insert(known, Kind::Dependent);
            });
        });
        if let Some(reason) = self.obscured(&operands, &values) {
            return self.dense(reason);
        }
        let mut by_known: HashMap<u32, HashMap<Operand, Factor>> = HashMap::new();
        for &value in &values {
            let key = Operand::from(value);
            let factors = with(|session| factors(&mut session.arena, value));
            for (known, factor) in factors {
                by_known.entry(known).or_default().insert(key, factor);
            }
        }
        for (known, factors) in by_known {
            let kind = self.kind_of(diagram, &values, &factors);
            kinds
                .entry(known)
                .and_modify(|k| *k = (*k).max(kind))
                .or_insert(kind);
        }
        let mut on: Vec<(usize, Kind)> = kinds
            .into_iter()
            .map(|(known, kind)| (known as usize, kind))
            .collect();
        on.sort_unstable();
        UnknownDependencies { on, dense: None }
    }

    /// Why it may depend on anything, if it may.
    fn obscured(&self, decisions: &[Operand], values: &[Trace]) -> Option<String> {
        with(|session| {
            if session.obscured.is_empty() {
                return None;
            }
            let mut because = None;
            let roots: Vec<Operand> = values
                .iter()
                .map(|&value| value.into())
                .chain(decisions.iter().copied())
                .collect();
            session.arena.support(&roots, |known| {
                if let Some(reason) = (known as usize).checked_sub(session.knowns.len()) {
                    because = because.or(Some(session.obscured[reason].0));
                }
            });
            because.map(str::to_owned)
        })
    }

    /// The kind of the dependency on a variable that has these factors in the values of a diagram.
    fn kind_of(&mut self, diagram: Diagram, values: &[Trace], factors: &HashMap<Operand, Factor>) -> Kind {
        let mut replaced = HashMap::new();
        let mut all: u8 = 0;
        for &value in values {
            let factor = match factors.get(&value.into()) {
                None => Trace::new(0.0),
                Some(None) => return Kind::Dependent,
                Some(Some(factor)) => *factor,
            };
            all |= with(|session| session.arena.varies(factor.into()));
            replaced.insert(Operand::from(value), factor);
        }
        if replaced
            .values()
            .map(|&factor| Operand::from(factor))
            .collect::<HashSet<_>>()
            .len()
            > 1
        {
            // The decisions that choose the factor are part of it.
            let chosen = self.diagrams.map(diagram, &replaced);
            let (decisions, _) = self.diagrams.contents(chosen);
            all |= with(|session| {
                let operands = decisions
                    .iter()
                    .flat_map(|&d| session.decisions[d as usize].question.operands());
                operands.fold(0, |all, operand| all | session.arena.varies(operand))
            });
        }
        kind(all)
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics of this thread from being reported meanwhile: a path that the values would never take may well
/// hit an assertion.
fn quietly<R>(f: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    if !crate::NO_PANIC_IS_PRINTED.load(Ordering::Relaxed) {
        HOOK.call_once(|| {
            let previous = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if !QUIET.get() {
                    previous(info);
                }
            }));
        });
    }
    let before = QUIET.replace(true);
    let result = f();
    QUIET.set(before);
    result
}
