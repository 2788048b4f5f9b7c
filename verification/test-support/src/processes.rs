//! Processes of a test, found by a mark in their environment.

use std::path::Path;
use std::time::{Duration, Instant};

/// The variable that has the mark.
pub const MARK: &str = "CONTAINED";

/// A mark that no other test and no other run has.
pub fn mark(kind: &str) -> String {
    format!("{kind}-{}", std::process::id())
}

/// Processes with the mark that are alive.
pub fn alive(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let has = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).ok()?;
        let mut variables = environment.split(|byte| *byte == 0);
        variables
            .any(|variable| variable == wanted.as_bytes())
            .then_some(())?;
        let status = std::fs::read_to_string(path.join("stat")).ok()?;
        (!status.contains(") Z ")).then_some(status)
    };
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes.filter_map(|process| has(&process.path())).collect()
}

/// Processes with the mark that are still alive after a while.
pub fn left(mark: &str, patience: Duration) -> Vec<String> {
    let end = Instant::now() + patience;
    loop {
        let left = alive(mark);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
