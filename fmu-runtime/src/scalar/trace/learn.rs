//! Too many paths to run them all: learning which decisions matter to which unknown.
//!
//! An unknown is a function of the answers to all decisions, but usually of few of them. [`screen`](super::screen)
//! finds candidates, for all unknowns at once; here each unknown gets a decision tree that explains what was seen,
//! and every further run must agree with all trees, or a tree is refined: two runs that it could not distinguish
//! differ in a candidate, or else their answers are exchanged one half after the other until a single
//! decision is found that makes the difference.

use std::collections::{HashMap, HashSet};

use super::arena::Operand;
use super::combine;
use super::diagram::{Diagram, Diagrams};
use super::explore::{Explorer, Outcome};
use super::screen;
use super::session::{Answers, Part, with};
use super::stopped::Stopped;
use super::tree::{Node, Tree};

/// More decisions than this for one unknown are too many.
const RELEVANT: usize = 16;
/// And more leaves than this.
const LEAVES: usize = 4096;
/// Runs of the equations that learning may take, and operations.
const RUNS: usize = 40_000;
const OPERATIONS: u64 = 150_000_000;
/// Random runs that confirm what was learned: at least, at most, and as many as these operations allow.
const CONFIRMATIONS: (usize, usize) = (256, 4096);
const CONFIRMING_OPERATIONS: u64 = 6_000_000;
/// Probabilities of yes, in 256, of the confirming runs.
const SHARES: [u32; 12] = [128, 128, 32, 128, 224, 128, 128, 8, 128, 248, 0, 256];

/// A run that is stopped because it meets many more decisions than those before gets a second chance up to this many.
const LONGEST: usize = 1 << 16;

/// Whether a decision was met with either answer, and a run that met it.
pub(super) struct Met {
    pub answers: [bool; 2],
    witness: usize,
    given_up: bool,
}

pub(super) struct Learner<'l, 'e> {
    explorer: &'l mut Explorer<'e>,
    /// Combinations of answers that something refers to.
    kept: Vec<Answers>,
    pub trees: Vec<Tree>,
    /// Decisions that matter to each unknown somewhere.
    pub candidates: Vec<Vec<u32>>,
    pub met: HashMap<u32, Met>,
    asked_limit: usize,
    seed: u64,
    /// Where runs were that had to be stopped, and how many of them may still go on for longer.
    pub stopped: Stopped,
}

/// The diagram of each unknown, or why it has none.
pub(super) fn learn(explorer: &mut Explorer, diagrams: &mut Diagrams) -> Vec<Result<Diagram, String>> {
    let mut learner = Learner {
        explorer,
        kept: Vec::new(),
        trees: Vec::new(),
        candidates: Vec::new(),
        met: HashMap::new(),
        asked_limit: 1 << 20,
        seed: 1,
        stopped: Stopped::default(),
    };
    if !screen::plant(&mut learner) || learner.stopped.for_good {
        let reason = "the equations did not come to an end along random decisions".to_owned();
        return vec![Err(reason); learner.explorer.unknowns];
    }
    learner.both_ways();
    combine::confirm(&mut learner);
    if !learner.confirm() {
        for unknown in 0..learner.trees.len() {
            learner.give_up(
                unknown,
                "what it depends on could not be confirmed within the bound on runs",
            );
        }
    }
    learner.confirm_leaves();
    learner.both_ways();
    learner.give_up_undecided();
    learner.give_up_stopped();
    learner
        .trees
        .iter()
        .map(|tree| match &tree.failed {
            Some(reason) => Err(reason.clone()),
            None => Ok(tree.diagram(0, diagrams)),
        })
        .collect()
}

impl Learner<'_, '_> {
    pub fn fresh_seed(&mut self) -> u64 {
        self.seed += 1;
        self.seed
    }

    /// Notes that a decision matters to an unknown.
    pub fn suspect(&mut self, unknown: usize, decision: u32) {
        let candidates = &mut self.candidates[unknown];
        if let Err(place) = candidates.binary_search(&decision) {
            candidates.insert(place, decision);
        }
    }

    fn keep(&mut self, answers: Answers) -> usize {
        self.kept.push(answers);
        self.kept.len() - 1
    }

    /// Runs the equations with one answer for each of some parts, and compares the outcome with what was learned.
    pub fn run_parts(&mut self, parts: impl Iterator<Item = (Part, bool)>) {
        let outcome = self.outcome(&Answers::Parts(parts.collect()));
        // The same by decision; what was not asked may be answered in any way.
        let answers = Answers::random(self.fresh_seed(), 128).but(outcome.asked.iter().copied());
        self.note(&answers, &outcome);
        self.check(&answers, &outcome);
    }

    /// Runs the equations, and notes the decisions met.
    pub fn run(&mut self, answers: &Answers) -> Outcome {
        let outcome = self.outcome(answers);
        self.note(answers, &outcome);
        outcome
    }

    fn outcome(&mut self, answers: &Answers) -> Outcome {
        if self.stopped.for_good {
            return Outcome::default();
        }
        let mut outcome = self.explorer.run(answers.clone(), self.asked_limit);
        if outcome.endless && self.asked_limit < LONGEST && self.stopped.may_go_on(&outcome) {
            let longer = self.explorer.run(answers.clone(), LONGEST);
            if !longer.endless {
                self.asked_limit = longer.asked.len() + 256;
                outcome = longer;
            }
        }
        if outcome.endless {
            // The decisions of the loop itself are noted where it ends.
            let places = self.stopped.note(&outcome);
            with(|session| {
                let place = |decision: u32| session.decisions[decision as usize].place;
                outcome.asked.retain(|asked| !places.contains(place(asked.0)));
            });
        }
        outcome
    }

    fn note(&mut self, answers: &Answers, outcome: &Outcome) {
        let mut witness = None;
        for &(decision, answer) in &outcome.asked {
            let met = self.met.entry(decision).or_insert_with(|| {
                let witness = *witness.get_or_insert_with(|| {
                    self.kept.push(answers.clone());
                    self.kept.len() - 1
                });
                Met {
                    answers: [false; 2],
                    witness,
                    given_up: false,
                }
            });
            met.answers[usize::from(answer)] = true;
        }
    }

    /// No run is to meet many more decisions than those so far.
    pub fn limit_runs(&mut self, met: usize) {
        self.asked_limit = 8 * met + 256;
    }

    /// The decisions met so far.
    pub fn decisions(&self) -> impl Iterator<Item = u32> {
        self.met.keys().copied()
    }

    /// Work done so far.
    pub fn work(&self) -> u64 {
        self.explorer.work()
    }

    pub fn exhausted(&self) -> bool {
        let explorer = &self.explorer;
        let full = explorer.full() || self.stopped.for_good;
        explorer.runs >= RUNS || explorer.work() >= OPERATIONS || full
    }

    /// Compares a run with all trees, and refines those that it contradicts.
    pub fn check(&mut self, answers: &Answers, outcome: &Outcome) {
        let Some(values) = &outcome.values else { return };
        let mut kept = None;
        for (unknown, &value) in values.iter().enumerate() {
            let value = Operand::from(value);
            let tree = &mut self.trees[unknown];
            if tree.failed.is_some() {
                continue;
            }
            let leaf = tree.find(answers);
            match &mut tree.nodes[leaf] {
                Node::Leaf {
                    value: Some(known),
                    hits,
                    ..
                } if *known == value => *hits += 1,
                Node::Leaf {
                    value: unseen @ None,
                    answers: witness,
                    ..
                } => {
                    let index = *kept.get_or_insert_with(|| {
                        self.kept.push(answers.clone());
                        self.kept.len() - 1
                    });
                    (*unseen, *witness) = (Some(value), index);
                }
                _ => self.refine(unknown, answers, &outcome.asked, value),
            }
        }
    }

    /// Refines the tree of an unknown until it agrees with a run.
    fn refine(&mut self, unknown: usize, answers: &Answers, asked: &[(u32, bool)], target: Operand) {
        loop {
            let tree = &self.trees[unknown];
            let leaf = tree.find(answers);
            let Node::Leaf {
                value,
                answers: witness,
                ..
            } = tree.nodes[leaf]
            else {
                return;
            };
            if value.is_none_or(|value| value == target) {
                return;
            }
            if tree.decisions.len() > RELEVANT || tree.nodes.len() > 2 * LEAVES {
                self.give_up(unknown, "it depends on more decisions than can be explored");
                return;
            }
            if self.exhausted() {
                self.give_up(
                    unknown,
                    "its decisions could not be distinguished within the bound on runs",
                );
                return;
            }
            let witness = self.kept[witness].clone();
            let differs = |decision: &u32| witness.to(*decision) != answers.to(*decision);
            // Candidates matter somewhere; where one does not here, the other runs will show both its sides equal.
            if let Some(&decision) = self.candidates[unknown]
                .iter()
                .find(|&decision| differs(decision))
            {
                let (kept, here) = (witness.to(decision), self.keep(answers.clone()));
                self.trees[unknown].split(leaf, decision, kept, (Some(target), here));
                return;
            }
            // Exchanging these answers one after the other leads from the one run to the other.
            let met = self.run(&witness).asked;
            let mut seen = HashSet::new();
            let differing: Vec<(u32, bool)> = asked
                .iter()
                .chain(&met)
                .map(|&(decision, _)| (decision, answers.to(decision)))
                .filter(|(decision, _)| differs(decision) && seen.insert(*decision))
                .collect();
            let (mut same, mut other) = (0, differing.len());
            let mut other_value = Some(target);
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                let between = witness.but(differing[..middle].iter().copied());
                let seen = self
                    .run(&between)
                    .values
                    .map(|values| Operand::from(values[unknown]));
                if seen.is_none() || seen == value {
                    same = middle;
                } else {
                    (other, other_value) = (middle, seen);
                }
            }
            if other == 0 {
                self.give_up(
                    unknown,
                    "equal runs gave different values: the equations are not deterministic",
                );
                return;
            }
            let (decision, answer) = differing[other - 1];
            self.suspect(unknown, decision);
            let beyond = self.keep(witness.but(differing[..other].iter().copied()));
            self.trees[unknown].split(leaf, decision, !answer, (other_value, beyond));
        }
    }

    /// Takes every decision both ways where it was met.
    fn both_ways(&mut self) {
        let enough = self.explorer.runs + 1024 + 2 * self.met.len();
        loop {
            let mut one_sided: Vec<u32> = self
                .met
                .iter()
                .filter(|(_, met)| met.answers != [true; 2] && !met.given_up)
                .map(|(&d, _)| d)
                .collect();
            if one_sided.is_empty() {
                return;
            }
            one_sided.sort_unstable();
            for decision in one_sided {
                if self.explorer.runs >= enough || self.exhausted() {
                    return;
                }
                let met = &self.met[&decision];
                if met.answers == [true; 2] {
                    continue;
                }
                let answer = met.answers[0];
                let answers = self.kept[met.witness].but([(decision, answer)]);
                let outcome = self.run(&answers);
                if let Some(met) = self.met.get_mut(&decision) {
                    // Met on a path that no run takes again, which only code that is not deterministic does.
                    met.given_up = met.answers != [true; 2];
                }
                self.check(&answers, &outcome);
            }
        }
    }

    /// Random combinations of all decisions must agree with the trees; false if there were too few.
    fn confirm(&mut self) -> bool {
        let before = self.explorer.work();
        for round in 0..CONFIRMATIONS.1 {
            // The first ones are made whatever they cost.
            let enough = self.explorer.work() - before > CONFIRMING_OPERATIONS || self.exhausted();
            if round >= CONFIRMATIONS.0 && enough {
                return true;
            }
            if self.explorer.runs >= RUNS || self.explorer.full() || self.stopped.for_good {
                return false;
            }
            let share = match SHARES[round % SHARES.len()] {
                // Always the same run.
                0 | 256 if round >= SHARES.len() => 64,
                share => share,
            };
            let answers = Answers::random(self.fresh_seed(), share);
            let outcome = self.run(&answers);
            self.check(&answers, &outcome);
        }
        true
    }

    /// Runs that end in leaves that were seen too seldom, those of many unknowns at once.
    fn confirm_leaves(&mut self) {
        while !self.exhausted() {
            let mut unsure: Vec<Vec<(u32, bool)>> = self
                .trees
                .iter()
                .filter(|tree| tree.failed.is_none() && tree.nodes.len() > 1)
                .flat_map(Tree::unsure)
                .collect();
            if unsure.is_empty() {
                return;
            }
            while !unsure.is_empty() && !self.exhausted() {
                let mut fixed: HashMap<u32, bool> = HashMap::new();
                // As many as go together; the others wait for a run of their own.
                unsure.retain(|path| {
                    let fits = |(decision, answer): &(u32, bool)| {
                        fixed.get(decision).is_none_or(|known| known == answer)
                    };
                    let chosen = path.iter().all(fits);
                    if chosen {
                        fixed.extend(path.iter().copied());
                    }
                    !chosen
                });
                let answers = Answers::random(self.fresh_seed(), 128).but(fixed);
                let outcome = self.run(&answers);
                if outcome.values.is_none() {
                    // No value there: nothing to confirm, but the path counts as seen.
                    self.count_as_seen(&answers);
                }
                self.check(&answers, &outcome);
            }
        }
    }

    fn count_as_seen(&mut self, answers: &Answers) {
        for tree in &mut self.trees {
            let leaf = tree.find(answers);
            if let Node::Leaf { hits, .. } = &mut tree.nodes[leaf] {
                *hits += 1;
            }
        }
    }
}
