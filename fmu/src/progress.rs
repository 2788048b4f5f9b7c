//! How far a simulation is, for whoever watches.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A line on standard error that is drawn over and over, and removed at the end.
pub(crate) struct Bar {
    start: f64,
    stop: f64,
    shown: Option<Instant>,
    began: Instant,
    calls: u32,
}

const WIDTH: usize = 30;

impl Bar {
    /// None if nobody watches.
    pub fn new(start: f64, stop: f64) -> Option<Self> {
        (std::io::stderr().is_terminal() && stop > start).then(|| Self {
            start,
            stop,
            shown: None,
            began: Instant::now(),
            calls: 0,
        })
    }

    pub fn update(&mut self, time: f64) {
        // The clock is slower than many a step.
        self.calls = self.calls.wrapping_add(1);
        if self.calls % 16 != 1 {
            return;
        }
        let now = Instant::now();
        let last = self.shown.unwrap_or(self.began);
        if now.duration_since(last) < Duration::from_millis(100) {
            return;
        }
        self.shown = Some(now);
        let part = ((time - self.start) / (self.stop - self.start)).clamp(0.0, 1.0);
        let full = (part * WIDTH as f64) as usize;
        let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
        let mut error = std::io::stderr();
        let _ = write!(error, "\r{bar} {:3.0} %  t = {time:.6}  ", 100.0 * part);
        let _ = error.flush();
    }
}

/// A line on standard error, in place of the bar if there is one.
pub(crate) fn say(line: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("\r{:width$}\r{line}", "", width = WIDTH + 40);
    } else {
        eprintln!("{line}");
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r{:width$}\r", "", width = WIDTH + 40);
        }
    }
}
