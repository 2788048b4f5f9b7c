//! One run of the equations: how a comparison of traced values is answered, and what that implies for the
//! comparisons after it.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::mem::ManuallyDrop;
use std::panic::Location;

use super::Trace;
use super::arena::{Arena, Mixer, Operand, scramble, varies};
use super::ranges::{Range, mirrored, order, relation};
use crate::scalar::Symbol;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// What a value may be, beyond a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Property {
    Nan,
    Finite,
    Infinite,
    Normal,
    Subnormal,
    SignNegative,
    /// A bit of a discrete variable's value.
    Bit(u32),
}

/// A question with the answers yes and no.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Question {
    /// Do `a` and `b` compare as `within`, given that they do as `possible`?
    Compare {
        a: Operand,
        b: Operand,
        possible: u8,
        within: u8,
    },
    Has(Property, Operand),
    /// Is `a` below `b` in the total order of `f64`?
    Below {
        a: Operand,
        b: Operand,
    },
}

impl Question {
    /// What the answer depends on.
    pub fn operands(self) -> [Operand; 2] {
        match self {
            Question::Compare { a, b, .. } | Question::Below { a, b } => [a, b],
            Question::Has(_, x) => [x, x],
        }
    }
}

pub(super) struct Decision {
    pub question: Question,
    /// Where in the source it was asked first.
    pub place: &'static Location<'static>,
}

/// Decisions that are answered alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// One decision.
    Single(u32),
    /// All at one place in the source: those of a loop.
    Place(&'static Location<'static>),
}

/// How a run answers.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    /// The first decisions by a list, the ones after it with no.
    List(Vec<bool>),
    /// Each decision by its place in the source, or by itself where it has a part of its own.
    Parts(HashMap<Part, bool>),
    /// Each decision by its number: fixed for some, for others yes with a probability of `share` in 256.
    Assigned {
        seed: u64,
        share: u32,
        fixed: Map<u32, bool>,
    },
}

impl Answers {
    pub fn random(seed: u64, share: u32) -> Answers {
        Answers::Assigned {
            seed,
            share,
            fixed: Map::default(),
        }
    }

    /// The answer to decision `number`; a list has none beyond its own.
    pub fn to(&self, number: u32) -> bool {
        match self {
            Answers::List(_) | Answers::Parts(_) => false,
            Answers::Assigned { seed, share, fixed } => fixed.get(&number).copied().unwrap_or_else(|| {
                (scramble(seed ^ scramble(u64::from(number) + 1)) & 255) < u64::from(*share)
            }),
        }
    }

    /// The same answers but for some decisions.
    pub fn but(&self, changes: impl IntoIterator<Item = (u32, bool)>) -> Answers {
        let mut changed = self.clone();
        if let Answers::Assigned { fixed, .. } = &mut changed {
            fixed.extend(changes);
        }
        changed
    }
}

/// The questions of one run and the answers to them.
pub(super) struct Run {
    answers: Answers,
    pub asked: Vec<(u32, bool)>,
    /// The number of this run, and for each decision the last run that met it, with the answer.
    number: u32,
    met: Vec<(u32, bool)>,
    pairs: Map<(Operand, Operand), u8>,
    ranges: Map<Operand, Range>,
    /// A fingerprint of all answers so far.
    path: u64,
    /// Calls so far of functions that may differ from call to call.
    calls: u64,
    /// Questions so far whose answer was known or implied.
    questions: u64,
    asked_limit: usize,
    node_limit: usize,
}

/// A run that repeats this many known comparisons counts as a loop in which nothing changes.
const QUESTIONS: u64 = 1 << 22;

impl Run {
    /// Whether the run was stopped in a loop that would go on with every answer.
    pub fn circles(&self) -> bool {
        self.questions >= QUESTIONS
    }

    /// Begins another run; memory is kept.
    pub fn begin(&mut self, answers: Answers, asked_limit: usize, node_limit: usize) {
        self.answers = answers;
        self.asked.clear();
        self.number += 1;
        self.pairs.clear();
        self.ranges.clear();
        self.path = 0;
        self.calls = 0;
        self.questions = 0;
        self.asked_limit = asked_limit;
        self.node_limit = node_limit;
    }
}

impl Default for Run {
    fn default() -> Self {
        Run {
            answers: Answers::List(Vec::new()),
            asked: Vec::new(),
            number: 1,
            met: Vec::new(),
            pairs: Map::default(),
            ranges: Map::default(),
            path: 0,
            calls: 0,
            questions: 0,
            asked_limit: usize::MAX,
            node_limit: usize::MAX,
        }
    }
}

/// The payload of the unwinding that ends a run without an end.
pub(super) struct Endless;

/// Expressions, decisions and the current run of an exploration.
#[derive(Default)]
pub(super) struct Session {
    pub arena: Arena,
    pub decisions: Vec<Decision>,
    numbers: Map<Question, u32>,
    pub run: Run,
    /// The variables that the equations read.
    pub knowns: Vec<Trace>,
    /// Why something may depend on all of them, and the expression that shows it.
    pub obscured: Vec<(&'static str, Trace)>,
}

impl Session {
    /// Answers a question; `None` when the run has gone on for too long.
    fn ask(&mut self, question: Question, place: &'static Location<'static>) -> Option<bool> {
        let next = self.decisions.len() as u32;
        let number = *self.numbers.entry(question).or_insert(next);
        if number == next {
            self.decisions.push(Decision { question, place });
            self.run.met.push((0, false));
        }
        let run = &mut self.run;
        let met = &mut run.met[number as usize];
        if met.0 == run.number {
            run.questions += 1;
            return (run.questions < QUESTIONS).then_some(met.1);
        }
        if run.asked.len() >= run.asked_limit || self.arena.len() >= run.node_limit {
            return None;
        }
        let answer = match &run.answers {
            Answers::List(list) => list.get(run.asked.len()).copied().unwrap_or(false),
            Answers::Parts(parts) => [Part::Single(number), Part::Place(place)]
                .iter()
                .find_map(|part| parts.get(part).copied())
                .unwrap_or(false),
            assigned => assigned.to(number),
        };
        run.asked.push((number, answer));
        *met = (run.number, answer);
        run.path = scramble(run.path ^ scramble(u64::from(number) * 2 + u64::from(answer) + 1));
        Some(answer)
    }

    /// A function of all variables and of one more, whose number is beyond theirs by that of the reason.
    pub fn obscured(&mut self, because: &'static str) -> Trace {
        if let Some((_, known)) = self.obscured.iter().find(|(known, _)| *known == because) {
            return *known;
        }
        let reason = self.obscured.len();
        let marker = self
            .arena
            .known((self.knowns.len() + reason) as u32, varies::LIVE);
        let mut arguments = self.knowns.clone();
        arguments.push(marker);
        let all = self.arena.function(scramble(reason as u64 + 1), &arguments);
        self.obscured.push((because, all));
        all
    }

    /// A function of arguments, by what it is known by.
    pub fn function(&mut self, symbol: Symbol, arguments: &[Trace]) -> Trace {
        let number = match symbol {
            Symbol::Named(number) => number,
            Symbol::Here(number) => {
                self.run.calls += 1;
                scramble(number ^ scramble(self.run.path ^ scramble(self.run.calls)))
            }
        };
        self.arena.function(number, arguments)
    }

    fn compare(&mut self, a: Trace, b: Trace, within: u8, place: &'static Location<'static>) -> Option<bool> {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
            return Some(within & relation(a, b) != 0);
        }
        let (mut a, mut b, mut within) = (Operand::from(a), Operand::from(b), within);
        if b < a {
            (a, b, within) = (b, a, mirrored(within));
        }
        if a == b {
            // Equal, or not a number.
            let possible = order::EQUAL | order::NONE;
            return self.narrow(a, b, possible, within, place);
        }
        let mut possible = self.run.pairs.get(&(a, b)).copied().unwrap_or(order::ANY);
        // Constants are the smaller operands.
        if let (Some(constant), Some(range)) = (a.as_constant(), self.run.ranges.get(&b)) {
            possible &= mirrored(range.possible(constant));
        }
        self.narrow(a, b, possible, within, place)
    }

    fn narrow(
        &mut self,
        a: Operand,
        b: Operand,
        possible: u8,
        within: u8,
        place: &'static Location<'static>,
    ) -> Option<bool> {
        let inside = possible & within;
        if inside == 0 || inside == possible {
            self.run.questions += 1;
            return (self.run.questions < QUESTIONS).then_some(inside != 0);
        }
        let answer = self.ask(
            Question::Compare {
                a,
                b,
                possible,
                within: inside,
            },
            place,
        )?;
        let left = if answer { inside } else { possible & !inside };
        self.run.pairs.insert((a, b), left);
        if let Some(constant) = a.as_constant() {
            self.run
                .ranges
                .entry(b)
                .or_default()
                .learn(constant, mirrored(left));
        }
        Some(answer)
    }
}

thread_local! {
    // Without a destructor, so that a thread may end in any order with its library; an exploration that ends takes its
    // session with it.
    static SESSION: Cell<Option<ManuallyDrop<Box<Session>>>> = const { Cell::new(None) };
}

/// A session out of its place, to which it returns.
struct Lent(Option<ManuallyDrop<Box<Session>>>);

impl Drop for Lent {
    fn drop(&mut self) {
        SESSION.set(self.0.take());
    }
}

/// Calls `f` with this thread's session.
pub(super) fn with<R>(f: impl FnOnce(&mut Session) -> R) -> R {
    let mut lent = Lent(SESSION.take());
    let session = lent.0.get_or_insert_with(|| ManuallyDrop::new(Box::default()));
    f(session)
}

/// Ends this thread's session.
pub(super) fn end() {
    drop(SESSION.take().map(ManuallyDrop::into_inner));
}

fn or_end(answer: Option<bool>) -> bool {
    match answer {
        Some(answer) => answer,
        // No panic hook is to report this.
        None => std::panic::resume_unwind(Box::new(Endless)),
    }
}

/// Whether `a` and `b` compare as one of `within`.
#[track_caller]
pub(super) fn compares(a: Trace, b: Trace, within: u8) -> bool {
    let place = Location::caller();
    or_end(with(|session| session.compare(a, b, within, place)))
}

/// Whether `x` has a property, which `constant` determines for a constant.
#[track_caller]
pub(super) fn has(x: Trace, property: Property, constant: impl FnOnce(f64) -> bool) -> bool {
    if let Some(value) = x.as_constant() {
        return constant(value);
    }
    let place = Location::caller();
    or_end(with(|session| {
        session.ask(Question::Has(property, x.into()), place)
    }))
}

/// The total order of `f64`. It differs from a comparison in zeros and in what is not a number, so neither
/// implies anything for the other.
#[track_caller]
pub(super) fn total_order(a: Trace, b: Trace) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
        return a.total_cmp(&b);
    }
    let place = Location::caller();
    let (a, b) = (Operand::from(a), Operand::from(b));
    let below = |a, b| or_end(with(|session| session.ask(Question::Below { a, b }, place)));
    if a == b {
        Ordering::Equal
    } else if below(a, b) {
        Ordering::Less
    } else if below(b, a) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}
