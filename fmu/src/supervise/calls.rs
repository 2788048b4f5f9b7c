//! Calls of FMUs that are under way in a worker: which of them ended it, and which take too long.

use std::time::{Duration, Instant};

use fmu_importer::watch::Call;
use fmu_results::table::number;

use super::channel::Channel;
use crate::output::printable;

/// After this time in one call the command says where the FMU is.
const HINT: Duration = Duration::from_secs(10);

/// A call as the beginning of a sentence: component, function and time.
pub(super) fn place(call: &Call) -> String {
    let time = match call.time.is_nan() {
        true => String::new(),
        false => format!(" at time {}", number(call.time)),
    };
    format!("`{}` in {}{time}", printable(&call.component), call.function)
}

/// All calls that are under way.
pub(super) fn under_way(channel: &Channel) -> Vec<Call> {
    let records = channel.calls().iter();
    records.filter_map(|record| record.running()).collect()
}

/// Calls that may have ended the worker: those of the thread that crashed or called `exit`, where it is known. `_exit` and
/// a kill do not identify a thread, so that all calls under way are possible causes.
pub(super) fn at_the_end(channel: &Channel) -> Vec<Call> {
    let all = under_way(channel);
    let crashed = all.iter().filter(|call| channel.crashed() == Some(call.thread));
    let crashed: Vec<Call> = crashed.cloned().collect();
    if crashed.is_empty() { all } else { crashed }
}

/// Notices calls that do not return.
#[derive(Default)]
pub(super) struct Watched {
    calls: Vec<Since>,
}

/// A call, and since when it has been seen.
struct Since {
    call: Call,
    seen: Instant,
    hinted: bool,
}

impl Watched {
    /// Looks at the calls that are under way.
    pub fn look(&mut self, channel: &Channel) {
        let now = under_way(channel);
        let is = |one: &Call, other: &Call| one.component == other.component && one.number == other.number;
        self.calls
            .retain(|since| now.iter().any(|call| is(call, &since.call)));
        for call in now {
            if !self.calls.iter().any(|since| is(&since.call, &call)) {
                self.calls.push(Since {
                    call,
                    seen: Instant::now(),
                    hinted: false,
                });
            }
        }
    }

    /// A hint, once for each call that takes long.
    pub fn hint(&mut self) -> Option<String> {
        let mut long = self.calls.iter_mut().filter(|since| since.seen.elapsed() > HINT);
        let since = long.find(|since| !since.hinted)?;
        since.hinted = true;
        Some(format!(
            "`{}` has been in {} for 10 s; --call-timeout SECONDS ends calls that take too long, Ctrl-C ends the run",
            printable(&since.call.component),
            since.call.function
        ))
    }

    /// Calls that have taken longer than this.
    pub fn longer_than(&self, limit: Duration) -> Vec<Call> {
        let late = self.calls.iter().filter(|since| since.seen.elapsed() > limit);
        late.map(|since| since.call.clone()).collect()
    }
}
