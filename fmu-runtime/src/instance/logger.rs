//! From sentences to the environment's logger: which are wanted, under which category, how often.

use super::problem::{Outcome, Problem, Status};
use super::repeats::Repeats;
use super::variables::Variables;
use crate::log::Listener;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// The environment of an instance, which receives its messages.
pub trait Host {
    /// Receives a message of the instance with this name.
    fn log(&self, instance: &CStr, status: Status, category: Option<&CStr>, message: &str);
}

/// Which messages go to the environment, and in whose name. Shared with the thread that calls the model, so that its
/// messages go out while it runs.
pub struct Logger {
    name: CString,
    host: Box<dyn Host>,
    variables: Arc<Variables>,
    /// One flag per category.
    enabled: RefCell<Box<[bool]>>,
    /// Some category is enabled.
    is_listening: Cell<bool>,
    /// Errors are logged even if no category is enabled.
    errors_always: bool,
    /// The name of the function that is being called.
    function: Cell<&'static str>,
    repeats: RefCell<Repeats>,
}

/// Positions in [`STANDARD_CATEGORIES`].
pub const EVENTS: usize = 0;
const WARNING: usize = 1;
const DISCARD: usize = 2;
pub const ERROR: usize = 3;
const ALL: usize = 4;

impl Logger {
    /// All categories are enabled, or none.
    pub fn new(
        name: CString,
        host: Box<dyn Host>,
        variables: Arc<Variables>,
        on: bool,
        errors_always: bool,
    ) -> Logger {
        let enabled = vec![on; variables.categories.len()].into_boxed_slice();
        Logger {
            name,
            host,
            variables,
            enabled: RefCell::new(enabled),
            is_listening: Cell::new(on),
            errors_always,
            function: Cell::new(""),
            repeats: RefCell::default(),
        }
    }

    /// The environment wants more than errors.
    #[inline]
    pub fn is_listening(&self) -> bool {
        self.is_listening.get()
    }

    /// Names the function that the messages to come belong to.
    pub fn enter(&self, function: &'static str) {
        self.function.set(function);
    }

    /// Whether messages of a category are wanted.
    pub fn wants(&self, category: usize) -> bool {
        let enabled = self.enabled.borrow();
        self.is_listening() && (enabled[category] || enabled[ALL])
    }

    /// Enables exactly these categories, or disables these; all of them if none is named.
    pub fn set(&self, on: bool, names: &[&str]) -> Outcome {
        let categories = &self.variables.categories;
        let find = |name: &&str| {
            categories
                .iter()
                .position(|known| known.to_bytes() == name.as_bytes())
        };
        if let Some(unknown) = names.iter().find(|name| find(name).is_none()) {
            let known: Vec<_> = categories.iter().map(|name| name.to_string_lossy()).collect();
            return Err(Problem::error(format!(
                "there is no log category '{unknown}', only {}",
                known.join(", ")
            )));
        }
        let mut enabled = self.enabled.borrow_mut();
        if on || names.is_empty() {
            enabled.fill(on && names.is_empty());
        }
        for category in names.iter().filter_map(find) {
            enabled[category] = on;
        }
        self.is_listening.set(enabled.contains(&true));
        Ok(())
    }

    /// Logs why a call did not succeed.
    pub fn say_status(&self, status: Status, sentence: &str) {
        let category = match status {
            Status::Warning => WARNING,
            Status::Discard => DISCARD,
            _ => ERROR,
        };
        if (status == Status::Error && self.errors_always) || self.wants(category) {
            self.say(status, category, sentence);
        }
    }

    /// Logs a sentence about an event.
    pub fn say_event(&self, sentence: &str) {
        if self.wants(EVENTS) {
            self.say(Status::Ok, EVENTS, sentence);
        }
    }

    /// Logs a message that only hosts that want all messages receive.
    pub fn say_detail(&self, sentence: impl FnOnce() -> String) {
        if self.wants(ALL) {
            self.say(Status::Ok, ALL, &sentence());
        }
    }

    /// Logs how often messages have come that were not logged every time.
    pub fn say_repeats(&self) {
        for summary in self.repeats.borrow_mut().summaries() {
            let sentence = format!(
                "{} messages like this one have come, {} of them were not logged: {}",
                summary.number, summary.hidden, summary.first
            );
            self.send(status_of(summary.category), summary.category, &sentence);
        }
    }

    /// Logs a sentence unless the same was logged often enough.
    fn say(&self, status: Status, category: usize, sentence: &str) {
        let number = self
            .repeats
            .borrow_mut()
            .count(self.function.get(), category, sentence);
        match number {
            Some(1..=10) => self.send(status, category, sentence),
            Some(number) => {
                let sentence = format!("{sentence} (message number {number} of this kind)");
                self.send(status, category, &sentence);
            }
            None => {}
        }
    }

    fn send(&self, status: Status, category: usize, sentence: &str) {
        let category = self.variables.categories.get(category);
        let category = category.map(CString::as_c_str);
        self.host.log(&self.name, status, category, sentence);
    }
}

/// Messages of the model's code.
impl Listener for Logger {
    fn hear(&self, category: &'static str, text: &str) {
        let mut categories = self.variables.categories.iter();
        let known = categories.position(|known| known.to_bytes() == category.as_bytes());
        if !self.wants(known.unwrap_or(ALL)) {
            return;
        }
        match known {
            Some(known) => self.say(status_of(known), known, text),
            // The environment knows no other categories than those of the XML.
            None => self.say(Status::Ok, ALL, &format!("[{category}] {text}")),
        }
    }
}

fn status_of(category: usize) -> Status {
    match category {
        WARNING => Status::Warning,
        DISCARD => Status::Discard,
        ERROR => Status::Error,
        _ => Status::Ok,
    }
}
