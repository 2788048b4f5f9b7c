//! Values that exploration cannot try one by one, and what they reach.
//!
//! An integer without a range, a text, an internal field that events change: dependencies come from runs with a few of
//! their values. `#[equations]` reads the source of the functions and of helper methods and writes down, as data, what
//! each of them reads ([`Usage`]). At packaging that data of a model, its helper methods and its parts is followed
//! ([`Search`]), so that only what such a value really decides is listed as dependent on everything.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::mem::ManuallyDrop;
use std::panic::Location;

/// What a variable or a helper method makes of values that cannot be tried one by one.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// What it is computed from: a few values show what many would.
    pub carries: &'static [Source],
    /// What decides, indexes or counts in it.
    pub decided: &'static [Source],
    /// Integers that it compares integers of the model with.
    pub integers: &'static [i32],
    /// Helper methods that it calls.
    pub calls: &'static [Helper],
    /// It is not known what it reads.
    pub unknown: bool,
}

/// A helper method's usage.
pub type Helper = fn() -> &'static Usage;

impl Usage {
    /// Of a function whose source was not read.
    pub const UNKNOWN: Usage = Usage {
        carries: &[],
        decided: &[Source {
            what: What::Everything,
            only_decided: false,
            added: false,
            place: None,
        }],
        integers: &[],
        calls: &[],
        unknown: true,
    };
}

/// Something that is read.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// What it is.
    pub what: What,
    /// Only what decides in it is meant.
    pub only_decided: bool,
    /// It is only added to something: it changes no factor.
    pub added: bool,
    /// Where it decides.
    pub place: Option<&'static Location<'static>>,
}

/// What is read.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A field, `gate`, or one of a part, `gate.open`.
    Field(&'static str),
    /// What a helper method reads.
    Method(Helper),
    /// The whole model.
    Everything,
}

/// What the functions of a model read.
#[derive(Clone, Copy, Debug)]
pub struct Usages {
    /// Function, variable, usage.
    pub variables: &'static [(&'static str, &'static str, Usage)],
    /// Variables with too many values to try them all.
    pub unbounded: &'static [&'static str],
    /// Internal fields that event functions change.
    pub changed: &'static [&'static str],
    /// Internal fields that they may change by the methods in `called`.
    pub changeable: &'static [&'static str],
    /// Methods that event functions call. One that is not in `#[equations]` may change any internal field.
    pub called: &'static [Helper],
}

/// What the functions of a model and of its parts read.
#[derive(Clone, Copy, Debug)]
pub struct ModelUsages {
    /// The model's own.
    pub own: fn() -> &'static Usages,
    /// The names of its parts.
    pub parts: &'static [&'static str],
    /// Those of a part.
    pub part: fn(&str) -> ModelUsages,
}

impl ModelUsages {
    /// Nothing is hidden.
    pub const NONE: ModelUsages = ModelUsages {
        own: || &Usages {
            variables: &[],
            unbounded: &[],
            changed: &[],
            changeable: &[],
            called: &[],
        },
        parts: &[],
        part: |_| ModelUsages::NONE,
    };

    /// All integers that functions and helper methods compare integers with.
    pub fn integers(&self, values: &mut Vec<i32>) {
        let mut seen = HashSet::new();
        let mut open: Vec<Usage> = (self.own)()
            .variables
            .iter()
            .map(|(_, _, usage)| *usage)
            .collect();
        while let Some(usage) = open.pop() {
            values.extend(usage.integers);
            let new = usage.calls.iter().filter(|helper| seen.insert(**helper as usize));
            open.extend(new.map(|helper| *helper()));
        }
        for part in self.parts {
            (self.part)(part).integers(values);
        }
    }
}

/// Where a location is, for a person.
fn at(place: Option<&'static Location<'static>>) -> String {
    place.map_or_else(String::new, |place| {
        format!(" at {}:{}", place.file(), place.line())
    })
}

/// A walk from a variable to what decides in it.
#[derive(Default)]
struct Search {
    seen: HashSet<(usize, String, bool, bool)>,
    /// Why its dependencies cannot be determined: a sentence without its name.
    reason: Option<String>,
    /// A factor in it may be an internal field that events change.
    by_stored: bool,
    place: Option<&'static Location<'static>>,
    /// The parts on the way, each with a dot behind it.
    prefix: String,
    /// What was found is only carried.
    carried: bool,
}

impl Search {
    fn found(&mut self, field: &str, changing: bool, added: bool) {
        if self.carried {
            self.by_stored |= changing && !added;
            return;
        }
        let (at, field) = (at(self.place), format!("{}{field}", self.prefix));
        self.reason.get_or_insert_with(|| match changing {
            true => format!(
                "the internal field `{field}`, which events change, decides in it{at}: use a `#[discrete]` variable there"
            ),
            false => format!(
                "`{field}` may decide in it{at} and has too many values to try them all: give an integer `min` and \
                 `max`, or compare it with numbers alone"
            ),
        });
    }

    fn path(&mut self, model: ModelUsages, path: &str, only_decided: bool, added: bool) {
        if !self
            .seen
            .insert((model.own as usize, path.to_owned(), only_decided, self.carried))
        {
            return;
        }
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let first = first.split('[').next().unwrap_or(first);
        if model.parts.contains(&first) {
            self.within(first, |search| match ((model.part)(first), rest) {
                (part, "") => search.everything(part),
                (part, rest) => search.path(part, rest, only_decided, added),
            });
            // What is given to a part may come back from any part.
            for (function, _, usage) in (model.own)().variables {
                if *function == "connections" {
                    self.usage(model, usage, only_decided, added);
                }
            }
            return;
        }
        let own = (model.own)();
        if !only_decided {
            if own.unbounded.contains(&first) {
                self.found(first, false, added);
            }
            if own.changes(first) {
                self.found(first, true, added);
            }
        }
        for (function, variable, usage) in own.variables {
            if *variable == first && *function != "derivatives" {
                self.usage(model, usage, only_decided, added);
            }
        }
    }

    fn within(&mut self, part: &str, walk: impl FnOnce(&mut Search)) {
        let length = self.prefix.len();
        self.prefix.push_str(part);
        self.prefix.push('.');
        walk(self);
        self.prefix.truncate(length);
    }

    fn everything(&mut self, model: ModelUsages) {
        let own = (model.own)();
        for field in own.unbounded {
            self.found(field, false, false);
        }
        for field in own.changed.iter().chain(own.changeable) {
            if own.changes(field) {
                self.found(field, true, false);
            }
        }
        for part in model.parts {
            self.within(part, |search| search.everything((model.part)(part)));
        }
    }

    fn usage(&mut self, model: ModelUsages, usage: &Usage, only_decided: bool, added: bool) {
        let carried = usage.carries.iter().filter(|_| !only_decided);
        for source in usage.decided.iter().chain(carried) {
            let before = self.place;
            self.place = self.place.or(source.place);
            let added = added && source.added;
            match source.what {
                What::Field(path) => self.path(model, path, source.only_decided, added),
                What::Method(helper) => {
                    let usage = helper();
                    let key = format!("{:p}", usage);
                    let key = (model.own as usize, key, source.only_decided, self.carried);
                    if self.seen.insert(key) {
                        self.usage(model, usage, source.only_decided, added);
                    }
                }
                What::Everything => self.everything(model),
            }
            self.place = before;
        }
    }
}

impl Usages {
    fn changes(&self, field: &str) -> bool {
        let may_change = || self.called.iter().any(|helper| helper().unknown);
        self.changed.contains(&field) || self.changeable.contains(&field) && may_change()
    }
}

/// Reasons by model, function and variable.
type Reasons = HashMap<(usize, &'static str, &'static str), Option<&'static str>>;

thread_local! {
    // Without a destructor, which would keep the library loaded as long as the thread lives: packaging describes one
    // library after the other under one path.
    static REASONS: RefCell<ManuallyDrop<Reasons>> = RefCell::default();
}

/// Why the dependencies of a number that a function computes cannot be determined, if they cannot.
pub fn reason(model: ModelUsages, function: &'static str, variable: &'static str) -> Option<&'static str> {
    let key = (model.own as usize, function, variable);
    if let Some(known) = REASONS.with_borrow(|reasons| reasons.get(&key).copied()) {
        return known;
    }
    let mut search = Search::default();
    for (of, name, usage) in (model.own)().variables {
        if (*of, *name) == (function, variable) {
            search.usage(model, usage, true, true);
        }
    }
    // It lives as long as the process that describes a model.
    let reason = search.reason.map(|reason| &*Box::leak(reason.into_boxed_str()));
    REASONS.with_borrow_mut(|reasons| reasons.insert(key, reason));
    reason
}

/// The same for a variable of any type, by its path from the model.
pub(crate) fn reason_of(model: ModelUsages, path: &str) -> Option<&'static str> {
    let mut search = Search::default();
    search.path(model, path, true, true);
    search.reason.map(|reason| &*Box::leak(reason.into_boxed_str()))
}

/// Whether a factor in a variable, or in the derivative of a state, may be an internal field that events change.
pub(crate) fn has_stored_factor(model: ModelUsages, path: &str, derivative: bool) -> bool {
    let mut search = Search {
        carried: true,
        ..Search::default()
    };
    let (mut model, mut rest) = (model, path);
    if !derivative {
        search.path(model, path, false, true);
        return search.by_stored;
    }
    while let Some((part, inner)) = rest.split_once('.') {
        let part = part.split('[').next().unwrap_or(part);
        (model, rest) = ((model.part)(part), inner);
    }
    let name = rest.split('[').next().unwrap_or(rest);
    for (function, variable, usage) in (model.own)().variables {
        if *function == "derivatives" && *variable == name {
            search.usage(model, usage, false, true);
        }
    }
    search.by_stored
}

/// Where generated code stands, as the author sees it.
#[track_caller]
pub const fn here() -> Option<&'static Location<'static>> {
    Some(Location::caller())
}
