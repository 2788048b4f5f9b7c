//! A progress bar for simulations.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::output::{error_line, terminals};

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
    /// None if standard error is not a terminal.
    pub fn new(start: f64, stop: f64) -> Option<Self> {
        (terminals().stderr && stop > start).then(|| Self {
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
        draw(&format!("\r{bar} {:3.0} %  t = {time:.6}  ", 100.0 * part));
    }
}

/// A line on standard error, in place of the bar if there is one.
pub(crate) fn show(line: &str) {
    if terminals().stderr {
        error_line(&format!("\r{:width$}\r{line}", "", width = WIDTH + 40));
    } else {
        error_line(line);
    }
}

/// Text on standard error without the end of a line.
fn draw(text: &str) {
    match crate::supervise::worker() {
        Some(worker) => worker.error(text),
        None => {
            let mut error = std::io::stderr();
            let _ = error.write_all(text.as_bytes()).and_then(|()| error.flush());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.shown.is_some() {
            draw(&format!("\r{:width$}\r", "", width = WIDTH + 40));
        }
    }
}
