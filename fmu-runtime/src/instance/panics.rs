//! Panics of model code: kept with their place instead of printed, and logged by the call that they ended.

use super::problem::{Outcome, Problem};
use std::any::Any;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;
use std::sync::atomic::Ordering;

thread_local! {
    /// The last panic of this thread. Without a destructor: see [`crate::log`].
    static LAST: Cell<Option<ManuallyDrop<String>>> = const { Cell::new(None) };
}

/// Keeps the messages of panics from now on. An FMU's library has the hook for itself and stays `quiet`; elsewhere, as in
/// a test, the previous hook is called, too.
pub fn remember(quiet: bool) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        if quiet {
            std::panic::set_hook(Box::new(keep));
            crate::NO_PANIC_IS_PRINTED.store(true, Ordering::Relaxed);
        } else {
            let former = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                keep(info);
                former(info);
            }));
        }
    });
}

fn keep(info: &PanicHookInfo<'_>) {
    let message = message(info.payload());
    let sentence = match info.location() {
        Some(place) => format!("{message} ({}:{}:{})", place.file(), place.line(), place.column()),
        None => message.to_owned(),
    };
    let former = LAST.replace(Some(ManuallyDrop::new(sentence)));
    drop(former.map(ManuallyDrop::into_inner));
}

fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        return text;
    }
    match payload.downcast_ref::<String>() {
        Some(text) => text,
        None => "no message",
    }
}

/// Message and place of the panic that was just caught.
pub fn explain(payload: Box<dyn Any + Send>) -> String {
    let remembered = LAST.take().map(ManuallyDrop::into_inner);
    let sentence = remembered.unwrap_or_else(|| message(&*payload).to_owned());
    // To drop a payload of a type of the model's own could panic again.
    if !payload.is::<&str>() && !payload.is::<String>() {
        std::mem::forget(payload);
    }
    sentence
}

/// Drops a value that holds a model. Its own `Drop` may panic: then this returns the message. Values that each hold a model must be
/// dropped one by one, since a second panic while the first one unwinds would end the process.
pub fn discard<T>(value: T) -> Option<String> {
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(value)));
    dropped.err().map(explain)
}

/// A warning where something panicked when it was dropped: what was asked for is done all the same.
pub fn warn(panics: impl IntoIterator<Item = Option<String>>) -> Outcome {
    // All of them first: what is dropped on the way out of here would panic unguarded.
    let panics: Vec<String> = panics.into_iter().flatten().collect();
    match panics.first() {
        None => Ok(()),
        Some(sentence) => Err(Problem::warning(format!(
            "the model panicked while it was dropped: {sentence}"
        ))),
    }
}
