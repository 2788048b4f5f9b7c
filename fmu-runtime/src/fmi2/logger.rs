//! From sentences to the environment's logger: what is wanted, under which category, in which form.

use super::boundary;
use super::problem::{Outcome, Problem};
use crate::log::{Message, STANDARD_CATEGORIES};
use fmi::fmi2::{fmi2CallbackFunctions, fmi2Discard, fmi2Error, fmi2OK, fmi2Status, fmi2Warning};
use std::ffi::{CStr, CString};

/// Who is told, what they want to hear, and in whose name.
pub struct Logger {
    name: CString,
    callbacks: fmi2CallbackFunctions,
    /// One flag a category.
    enabled: Box<[bool]>,
    /// Some category is enabled.
    is_listening: bool,
}

/// Positions in [`STANDARD_CATEGORIES`].
pub const EVENTS: usize = 0;
const WARNING: usize = 1;
const DISCARD: usize = 2;
const ERROR: usize = 3;
const ALL: usize = 4;

impl Logger {
    /// All categories are enabled, or none.
    pub fn new(name: CString, callbacks: fmi2CallbackFunctions, categories: usize, on: bool) -> Logger {
        Logger {
            name,
            callbacks,
            enabled: vec![on; categories].into(),
            is_listening: on,
        }
    }

    /// Somebody wants to hear more than errors.
    #[inline]
    pub fn is_listening(&self) -> bool {
        self.is_listening
    }

    /// Whether messages of a category are wanted.
    pub fn wants(&self, category: usize) -> bool {
        self.is_listening && (self.enabled[category] || self.enabled[ALL])
    }

    /// `fmi2SetDebugLogging`: exactly these categories on, or these off; all of them if none is named.
    pub fn set(&mut self, on: bool, names: &[&str], categories: &[CString]) -> Outcome {
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
        if on || names.is_empty() {
            self.enabled.fill(on && names.is_empty());
        }
        for category in names.iter().filter_map(find) {
            self.enabled[category] = on;
        }
        self.is_listening = self.enabled.contains(&true);
        Ok(())
    }

    /// Says why a call does not give `fmi2OK`. Errors are always said.
    pub fn say_status(&self, status: fmi2Status, sentence: &str, categories: &[CString]) {
        let category = match status {
            fmi2Warning => WARNING,
            fmi2Discard => DISCARD,
            _ => ERROR,
        };
        if status == fmi2Error || self.wants(category) {
            self.send(status, categories.get(category), sentence);
        }
    }

    /// Says something about an event.
    pub fn say_event(&self, sentence: &str, categories: &[CString]) {
        if self.wants(EVENTS) {
            self.send(fmi2OK, categories.get(EVENTS), sentence);
        }
    }

    /// Hands on what the model's code has said.
    pub fn pass_on(&self, messages: Vec<Message>, categories: &[CString]) {
        for Message { category, text } in messages {
            let known = categories
                .iter()
                .position(|known| known.to_bytes() == category.as_bytes());
            // The environment knows no other categories than those of the XML.
            let (category, text) = match known {
                Some(known) => (known, text),
                None => (ALL, format!("[{category}] {text}")),
            };
            let status = match category {
                WARNING => fmi2Warning,
                DISCARD => fmi2Discard,
                ERROR => fmi2Error,
                _ => fmi2OK,
            };
            if self.wants(category) {
                self.send(status, categories.get(category), &text);
            }
        }
    }

    fn send(&self, status: fmi2Status, category: Option<&CString>, sentence: &str) {
        let category = category.map(CString::as_c_str);
        send(&self.callbacks, &self.name, status, category, sentence);
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
