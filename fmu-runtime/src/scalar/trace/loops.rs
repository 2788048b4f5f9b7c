//! Loops whose number of turns depends on traced values: `while`, a bisection, Newton's method by hand.
//!
//! Such a loop asks without an end, and each of its questions is a new decision, so its decisions are not learned one by one.
//! They form a *unit*: what belongs together because each decision is asked only after a certain answer to the one before
//! it. A loop that two parts run through at the same place in the source is two units. Decisions elsewhere that compare what
//! a loop computed are as many as the loop has ends; they form one unit per place and set of variables.

use std::collections::{HashMap, HashSet};
use std::panic::Location;

use super::arena::{Arena, Supports};
use super::explore::Explorer;
use super::session::{Answers, Decision, Map, Question, with};

type Place = &'static Location<'static>;

/// Decisions that are one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    /// An ordinary decision, by its number.
    Single(u32),
    /// Those of a loop, or those at one place that compare what loops computed.
    Loop(u32),
}

/// A unit with as many decisions is a loop.
const TURNS: usize = 24;
/// Decisions after which a loop was seen to go on in two ways, at least.
const FORKS: usize = 3;
/// Runs that look for loops, with the probability of yes in 256.
const SAMPLES: usize = 64;
const SHARES: [u32; 4] = [128, 32, 128, 224];
const LONG: [u32; 8] = [8, 248, 8, 248, 0, 256, 8, 248];
/// Decisions and operations of these runs.
const ASKED: usize = 1 << 12;
const OPERATIONS: u64 = 10_000_000;

/// How the decisions at a place form units.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One unit with the decision before it at the same place.
    Turns,
    /// One unit with those that compare the same variables.
    Follows,
}

/// The loops that were found.
#[derive(Default)]
pub(super) struct Loops {
    places: HashMap<Place, Shape>,
    units: Map<u32, u32>,
    follows: HashMap<(Place, u32), u32>,
    /// What the decisions of each unit compare: sets of variables.
    pub compared: Vec<u32>,
    pub supports: Supports,
}

impl Loops {
    pub fn found(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether the decisions at a place form units.
    pub fn at(&self, place: Place) -> bool {
        self.found() && self.places.contains_key(place)
    }

    /// The unit of a decision.
    pub fn unit_of(&self, decision: u32) -> Unit {
        match self.units.get(&decision) {
            Some(&unit) => Unit::Loop(unit),
            None => Unit::Single(decision),
        }
    }

    /// The unit of a decision that a run asks; `last` are the units asked before it in the run, by place.
    pub fn ask(
        &mut self,
        number: u32,
        decision: &Decision,
        arena: &Arena,
        last: &mut HashMap<Place, u32>,
    ) -> Unit {
        let Some(&shape) = self.places.get(decision.place) else {
            return Unit::Single(number);
        };
        let unit = match self.units.get(&number) {
            Some(&unit) => unit,
            None => {
                let support = self.support(decision.question, arena);
                let known = match shape {
                    Shape::Turns => last.get(decision.place).copied(),
                    Shape::Follows => self.follows.get(&(decision.place, support)).copied(),
                };
                let unit = known.unwrap_or_else(|| self.new_unit());
                if shape == Shape::Follows {
                    self.follows.insert((decision.place, support), unit);
                }
                self.assign(number, unit, support);
                unit
            }
        };
        last.insert(decision.place, unit);
        Unit::Loop(unit)
    }

    fn new_unit(&mut self) -> u32 {
        self.compared.push(Supports::EMPTY);
        self.compared.len() as u32 - 1
    }

    fn assign(&mut self, number: u32, unit: u32, support: u32) {
        self.units.insert(number, unit);
        let compared = &mut self.compared[unit as usize];
        *compared = self.supports.union(*compared, support);
    }

    fn support(&mut self, question: Question, arena: &Arena) -> u32 {
        let [a, b] = question.operands();
        let (a, b) = (self.supports.of(arena, a), self.supports.of(arena, b));
        self.supports.union(a, b)
    }
}

/// Looks for loops; the decisions of those that are found form units from then on.
pub(super) fn detect(explorer: &mut Explorer) {
    let mut lists = Vec::new();
    let before = explorer.work();
    let fair = (0..SAMPLES).map(|run| SHARES[run % SHARES.len()]);
    for (run, share) in fair.chain(LONG).enumerate() {
        let outcome = explorer.run(Answers::random(0x5eed_0000 + run as u64, share), ASKED);
        if outcome.circles {
            return;
        }
        lists.push(outcome.asked);
        if explorer.work() - before > OPERATIONS && run > SHARES.len() {
            break;
        }
    }
    with(|session| {
        let place = |decision: u32| session.decisions[decision as usize].place;
        let chains = Chains::new(&lists, place);
        let mut loops = Loops::default();
        for (at, size) in chains.longest() {
            if size >= TURNS {
                loops.places.insert(at, Shape::Turns);
            }
        }
        if !loops.found() {
            return;
        }
        let turns: Vec<u32> = (0..session.decisions.len() as u32)
            .filter(|&decision| loops.at(place(decision)))
            .collect();
        follows(&mut loops, &lists, place);
        let mut units: HashMap<u32, u32> = HashMap::new();
        for decision in turns {
            let first = chains.first(decision);
            let unit = *units.entry(first).or_insert_with(|| loops.new_unit());
            let support = loops.support(session.decisions[decision as usize].question, &session.arena);
            loops.assign(decision, unit, support);
        }
        session.loops = loops;
    });
}

/// Marks the places whose decisions compare what loops computed: most are asked only after one certain end of a loop.
fn follows(loops: &mut Loops, lists: &[Vec<(u32, bool)>], place: impl Fn(u32) -> Place) {
    let mut after: HashMap<u32, Before> = HashMap::new();
    let mut most: HashMap<Place, usize> = HashMap::new();
    for list in lists {
        let mut last = None;
        let mut asked: HashMap<Place, usize> = HashMap::new();
        for &(decision, answer) in list {
            let at = place(decision);
            if loops.at(at) {
                last = Some((decision, answer));
                continue;
            }
            *asked.entry(at).or_default() += 1;
            Before::note(&mut after, decision, last);
        }
        for (at, count) in asked {
            let most = most.entry(at).or_default();
            *most = (*most).max(count);
        }
    }
    let mut counts: HashMap<Place, (usize, usize)> = HashMap::new();
    for (decision, before) in after {
        let (all, one) = counts.entry(place(decision)).or_default();
        *all += 1;
        *one += usize::from(matches!(before.what, Some(Some(_))));
    }
    for (at, (all, one)) in counts {
        if 2 * one >= all && all >= 3 * most[&at] {
            loops.places.insert(at, Shape::Follows);
        }
    }
}

/// What comes before a decision in the runs that ask it: the same in all of them, or nothing certain.
struct Before {
    what: Option<Option<(u32, bool)>>,
}

impl Before {
    fn note(all: &mut HashMap<u32, Before>, decision: u32, last: Option<(u32, bool)>) {
        let before = all.entry(decision).or_insert(Before { what: Some(last) });
        if before.what != Some(last) {
            before.what = None;
        }
    }
}

/// Decisions at one place that are asked only after a certain answer to the one before, joined.
struct Chains<P> {
    before: HashMap<u32, Before>,
    /// What is asked next at the place, after no and after yes.
    next: HashMap<u32, [HashSet<Option<u32>>; 2]>,
    place: P,
}

impl<P: Fn(u32) -> Place> Chains<P> {
    fn new(lists: &[Vec<(u32, bool)>], place: P) -> Self {
        let mut before = HashMap::new();
        let mut next: HashMap<u32, [HashSet<Option<u32>>; 2]> = HashMap::new();
        for list in lists {
            let mut last: HashMap<Place, (u32, bool)> = HashMap::new();
            for &(decision, answer) in list {
                let last = last.insert(place(decision), (decision, answer));
                Before::note(&mut before, decision, last);
                if let Some((last, answer)) = last {
                    next.entry(last).or_default()[usize::from(answer)].insert(Some(decision));
                }
            }
            for (last, answer) in last.into_values() {
                next.entry(last).or_default()[usize::from(answer)].insert(None);
            }
        }
        Chains { before, next, place }
    }

    fn link(&self, decision: u32) -> Option<(u32, bool)> {
        self.before.get(&decision)?.what?
    }

    /// The first decision of the chain.
    fn first(&self, mut decision: u32) -> u32 {
        while let Some((before, _)) = self.link(decision) {
            decision = before;
        }
        decision
    }

    /// The largest chain at each place where what is asked next depends on the answer.
    fn longest(&self) -> HashMap<Place, usize> {
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        let mut forks: HashMap<Place, (usize, usize)> = HashMap::new();
        for &decision in self.before.keys() {
            *sizes.entry(self.first(decision)).or_default() += 1;
            let [no, yes] = &self.next[&decision];
            if !no.is_empty() && !yes.is_empty() {
                let (forks, others) = forks.entry((self.place)(decision)).or_default();
                match no.is_disjoint(yes) {
                    true => *forks += 1,
                    false => *others += 1,
                }
            }
        }
        let mut longest = HashMap::new();
        for (first, size) in sizes {
            let at = (self.place)(first);
            let &(forks, others) = forks.get(at).unwrap_or(&(0, 0));
            if forks >= FORKS && forks > others {
                let known = longest.entry(at).or_insert(0);
                *known = size.max(*known);
            }
        }
        longest
    }
}
