//! Messages from model code to whoever runs the model: `log!("category", "pressure {p} Pa")`.
//!
//! Somebody who wants to hear them starts a [`Recording`] around a call into the model, and hands the messages on
//! when the call has come back. Where nobody listens, `log!` does not even format its text.

use std::cell::Cell;
use std::fmt;
use std::mem::ManuallyDrop;

/// The log categories of the standard that the runtime itself uses: name and description.
pub const STANDARD_CATEGORIES: &[(&str, &str)] = &[
    (
        "logEvents",
        "Events: initialization, state, time and step events, termination",
    ),
    ("logStatusWarning", "Calls that succeed with a warning"),
    (
        "logStatusDiscard",
        "Calls that are discarded: the caller may go on in another way",
    ),
    ("logStatusError", "Calls that fail"),
    ("logAll", "All messages"),
];

/// One message of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// A name in [`STANDARD_CATEGORIES`], or in the model's own `log_categories`.
    pub category: &'static str,
    /// The sentence.
    pub text: String,
}

/// Sends a message to whoever runs the model: a category, then what `format!` takes.
///
/// The category is one of the model's `log_categories`, or of the standard's: `"logEvents"`, `"logStatusWarning"`.
///
/// ```
/// use fmu_runtime::log::{Recording, log};
///
/// let recording = Recording::start();
/// let level = 3.2;
/// log!("levels", "tank overflows at {level} m");
/// let messages = recording.stop();
/// assert_eq!((messages[0].category, &*messages[0].text), ("levels", "tank overflows at 3.2 m"));
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __log {
    ($category:expr, $($text:tt)+) => {
        if $crate::log::is_recording() {
            $crate::log::record($category, ::core::format_args!($($text)+));
        }
    };
}
#[doc(inline)]
pub use __log as log;

/// What is said on this thread is kept, from [`Recording::start`] to [`Recording::stop`].
#[must_use = "messages are kept until `stop`"]
pub struct Recording {
    outer: Option<Messages>,
}

/// A `Vec` that a thread may forget when it ends: a thread-local value with a destructor would keep an FMU's library
/// from being unloaded.
type Messages = ManuallyDrop<Vec<Message>>;

thread_local! {
    static RECORDED: Cell<Option<Messages>> = const { Cell::new(None) };
}

impl Recording {
    /// Begins; a recording that is under way on this thread pauses.
    pub fn start() -> Recording {
        let outer = RECORDED.replace(Some(ManuallyDrop::new(Vec::new())));
        Recording { outer }
    }

    /// Ends, and gives what was said in the meantime.
    pub fn stop(self) -> Vec<Message> {
        let recorded = RECORDED.take();
        recorded.map(ManuallyDrop::into_inner).unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let recorded = RECORDED.replace(self.outer.take());
        drop(recorded.map(ManuallyDrop::into_inner));
    }
}

/// Somebody listens on this thread.
#[doc(hidden)]
pub fn is_recording() -> bool {
    let recorded = RECORDED.take();
    let listening = recorded.is_some();
    RECORDED.set(recorded);
    listening
}

#[doc(hidden)]
pub fn record(category: &'static str, text: fmt::Arguments<'_>) {
    // Formatted first: the arguments may be code that logs, too.
    let text = text.to_string();
    if let Some(mut recorded) = RECORDED.take() {
        recorded.push(Message { category, text });
        RECORDED.set(Some(recorded));
    }
}

#[cfg(test)]
mod tests {
    use super::{Recording, log};

    #[test]
    fn nothing_is_formatted_where_nobody_listens() {
        struct Loud;
        impl std::fmt::Display for Loud {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("formatted")
            }
        }
        log!("logAll", "{}", Loud);
    }

    #[test]
    fn recordings_nest_and_are_their_threads_own() {
        let outer = Recording::start();
        log!("a", "one");
        let inner = Recording::start();
        log!("b", "two");
        std::thread::spawn(|| log!("c", "elsewhere")).join().unwrap();
        assert_eq!(inner.stop().len(), 1);
        log!("a", "three");
        let texts: Vec<String> = outer.stop().into_iter().map(|message| message.text).collect();
        assert_eq!(texts, ["one", "three"]);
        assert!(!super::is_recording());
    }

    #[test]
    fn a_thread_ends_without_a_destructor_for_its_messages() {
        assert!(!std::mem::needs_drop::<std::cell::Cell<Option<super::Messages>>>());
    }
}
