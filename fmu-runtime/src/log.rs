//! Messages from model code to the program that runs the model: `log!("category", "pressure {p} Pa")`.
//!
//! To receive them, start a [`Recording`] around a call into the model. Without one, `log!` does
//! not even format its text.

use std::cell::Cell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::rc::Rc;

/// The log categories of every FMU, beside the model's own: name and description.
pub use fmu_standard::shared::LOG_CATEGORIES as STANDARD_CATEGORIES;

/// One message of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// A name in [`STANDARD_CATEGORIES`], or in the model's own `log_categories`.
    pub category: &'static str,
    /// The sentence.
    pub text: String,
}

/// Sends a message to the program that runs the model: a category, then what `format!` takes.
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

/// Keeps the messages of this thread, from [`Recording::start`] to [`Recording::stop`].
#[must_use = "messages are kept until `stop`"]
pub struct Recording {
    outer: Option<Target>,
}

/// Takes messages one by one, so that any number of them needs no memory.
pub(crate) trait Listener {
    /// Called for every message, in the thread that sends it.
    fn hear(&self, category: &'static str, text: &str);
}

/// Where messages of this thread go.
enum Receiver {
    Kept(Vec<Message>),
    PassedOn(Rc<dyn Listener>),
}

/// A receiver that a thread may forget when it ends: a thread-local value with a destructor would keep an FMU's
/// library from being unloaded.
type Target = ManuallyDrop<Receiver>;

thread_local! {
    static TARGET: Cell<Option<Target>> = const { Cell::new(None) };
}

impl Recording {
    /// Begins; a recording that is under way on this thread pauses.
    pub fn start() -> Recording {
        Recording::into(Receiver::Kept(Vec::new()))
    }

    /// Passes messages on instead of keeping them, until it is dropped.
    pub(crate) fn pass_on(listener: Rc<dyn Listener>) -> Recording {
        Recording::into(Receiver::PassedOn(listener))
    }

    fn into(receiver: Receiver) -> Recording {
        let outer = TARGET.replace(Some(ManuallyDrop::new(receiver)));
        Recording { outer }
    }

    /// Ends, and returns the messages since its start.
    pub fn stop(self) -> Vec<Message> {
        match TARGET.take().map(ManuallyDrop::into_inner) {
            Some(Receiver::Kept(messages)) => messages,
            _ => Vec::new(),
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let target = TARGET.replace(self.outer.take());
        drop(target.map(ManuallyDrop::into_inner));
    }
}

/// Whether a recording is under way on this thread.
#[doc(hidden)]
pub fn is_recording() -> bool {
    let target = TARGET.take();
    let listening = target.is_some();
    TARGET.set(target);
    listening
}

#[doc(hidden)]
pub fn record(category: &'static str, text: fmt::Arguments<'_>) {
    // Formatted first: the arguments may be code that logs, too.
    let text = text.to_string();
    if let Some(mut target) = TARGET.take() {
        match &mut *target {
            Receiver::Kept(messages) => messages.push(Message { category, text }),
            Receiver::PassedOn(listener) => listener.hear(category, &text),
        }
        TARGET.set(Some(target));
    }
}

#[cfg(test)]
mod tests {
    use super::{Recording, log};

    #[test]
    fn nothing_is_formatted_without_a_listener() {
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
        assert!(!std::mem::needs_drop::<std::cell::Cell<Option<super::Target>>>());
    }
}
