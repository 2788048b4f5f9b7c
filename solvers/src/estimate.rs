//! The error that diffsol estimates for each step. It keeps the number to itself, but writes it to the log as soon as it has
//! accepted a step; this is the only way to it from outside.

use std::cell::Cell;
use std::fmt::Write;

use log::{Level, LevelFilter, Log, Metadata, Record};

/// What diffsol writes before the number.
const ACCEPTED: &str = "Step accepted with error norm";

thread_local! {
    static LAST: Cell<Option<f64>> = const { Cell::new(None) };
}

struct Reader;

impl Log for Reader {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == Level::Debug && metadata.target().starts_with("diffsol::ode_solver")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let mut line = String::new();
        if write!(line, "{}", record.args()).is_ok()
            && let Some(number) = line.strip_prefix(ACCEPTED)
        {
            let number = number.trim_start_matches([' ', '=']).trim();
            LAST.set(number.parse().ok());
        }
    }

    fn flush(&self) {}
}

/// From now on all steppers of this process know the [estimated errors](crate::Stepper::error) of their steps, at the price of
/// some lines of text per step. It takes the place of the process's logger (of the crate `log`), so a program calls it, never a
/// library; false where there is a logger already.
pub fn watch_errors() -> bool {
    static READER: Reader = Reader;
    let is_ours = log::set_logger(&READER).is_ok() || std::ptr::addr_eq(log::logger(), &raw const READER);
    if is_ours {
        log::set_max_level(LevelFilter::Debug);
    }
    is_ours
}

/// The estimate of the step that this thread has just made, by what is tolerated. diffsol's norm is squared.
pub(crate) fn take() -> Option<f64> {
    LAST.take().map(f64::sqrt)
}
