//! From sentences to the environment's logger: what is wanted, under which category, in which form, how often.

use super::boundary;
use super::functions::Function;
use super::problem::{Outcome, Problem};
use super::repeats::Repeats;
use super::variables::Variables;
use crate::log::{Listener, STANDARD_CATEGORIES};
use fmu_standard::fmi2::{fmi2CallbackFunctions, fmi2Discard, fmi2Error, fmi2OK, fmi2Status, fmi2Warning};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// Who receives messages, which ones, and in whose name. Shared with the thread that calls the model, so that its
/// messages go out while it runs.
pub struct Logger {
    name: CString,
    callbacks: fmi2CallbackFunctions,
    variables: Arc<Variables>,
    /// One flag per category.
    enabled: RefCell<Box<[bool]>>,
    /// Some category is enabled.
    is_listening: Cell<bool>,
    /// The function that is being called.
    function: Cell<Option<Function>>,
    repeats: RefCell<Repeats>,
}

/// Positions in [`STANDARD_CATEGORIES`].
pub const EVENTS: usize = 0;
const WARNING: usize = 1;
const DISCARD: usize = 2;
const ERROR: usize = 3;
const ALL: usize = 4;

impl Logger {
    /// All categories are enabled, or none.
    pub fn new(
        name: CString,
        callbacks: fmi2CallbackFunctions,
        variables: Arc<Variables>,
        on: bool,
    ) -> Logger {
        let enabled = vec![on; variables.categories.len()].into_boxed_slice();
        Logger {
            name,
            callbacks,
            variables,
            enabled: RefCell::new(enabled),
            is_listening: Cell::new(on),
            function: Cell::new(None),
            repeats: RefCell::default(),
        }
    }

    /// Somebody wants to hear more than errors.
    #[inline]
    pub fn is_listening(&self) -> bool {
        self.is_listening.get()
    }

    /// Names the function that the messages to come belong to.
    pub fn enter(&self, function: Function) {
        self.function.set(Some(function));
    }

    /// Whether messages of a category are wanted.
    pub fn wants(&self, category: usize) -> bool {
        let enabled = self.enabled.borrow();
        self.is_listening() && (enabled[category] || enabled[ALL])
    }

    /// `fmi2SetDebugLogging`: exactly these categories on, or these off; all of them if none is named.
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

    /// Says why a call does not give `fmi2OK`. Errors are always said.
    pub fn say_status(&self, status: fmi2Status, sentence: &str) {
        let category = match status {
            fmi2Warning => WARNING,
            fmi2Discard => DISCARD,
            _ => ERROR,
        };
        if status == fmi2Error || self.wants(category) {
            self.say(status, category, sentence);
        }
    }

    /// Says something about an event.
    pub fn say_event(&self, sentence: &str) {
        if self.wants(EVENTS) {
            self.say(fmi2OK, EVENTS, sentence);
        }
    }

    /// Says how often messages have come that were not logged every time.
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
    fn say(&self, status: fmi2Status, category: usize, sentence: &str) {
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

    fn send(&self, status: fmi2Status, category: usize, sentence: &str) {
        let category = self.variables.categories.get(category);
        let category = category.map(CString::as_c_str);
        send(&self.callbacks, &self.name, status, category, sentence);
    }
}

/// What the model's code says.
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
            None => self.say(fmi2OK, ALL, &format!("[{category}] {text}")),
        }
    }
}

fn status_of(category: usize) -> fmi2Status {
    match category {
        WARNING => fmi2Warning,
        DISCARD => fmi2Discard,
        ERROR => fmi2Error,
        _ => fmi2OK,
    }
}

/// Tells an environment whose instance does not come into being.
pub fn say_failure(callbacks: &fmi2CallbackFunctions, name: &CStr, sentence: &str) {
    let category = CString::new(STANDARD_CATEGORIES[ERROR].0).unwrap_or_default();
    send(callbacks, name, fmi2Error, Some(&category), sentence);
}

fn send(
    callbacks: &fmi2CallbackFunctions,
    name: &CStr,
    status: fmi2Status,
    category: Option<&CStr>,
    sentence: &str,
) {
    if let Ok(message) = CString::new(escape(sentence)) {
        boundary::call_logger(callbacks, name, status, category, &message);
    }
}

/// The message is a format of `printf`, and in it `#` begins the reference to a variable: both are doubled. A zero
/// byte would end it.
fn escape(sentence: &str) -> String {
    let sentence = sentence.trim_end().replace('%', "%%").replace('#', "##");
    sentence.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_message_is_no_format_and_names_no_variable() {
        assert_eq!(super::escape("50% of #4\n"), "50%% of ##4");
        assert_eq!(super::escape("a\0b"), "a\u{fffd}b");
    }
}
