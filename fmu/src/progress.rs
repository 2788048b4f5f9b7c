//! How far simulations have come.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::output::{error_line, terminals};

/// Shows on standard error how far a simulation has come: a line that is drawn over and over and removed at the end or, where
/// standard error is not a terminal, a line now and then in runs that take long.
pub(crate) struct Bar {
    start: f64,
    stop: f64,
    is_drawn: bool,
    shown: Option<Instant>,
    began: Instant,
    /// When the clock was read last, and after how many calls it is read again.
    read: Instant,
    calls: u32,
    pause: u32,
    /// The time after which the next line is written, where nothing is drawn.
    next_line: Duration,
}

/// How far a simulation has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Progress {
    pub elapsed: Duration,
    /// From 0 to 1.
    pub part: f64,
}

const WIDTH: usize = 30;
/// Reading the clock takes longer than many steps: it is read after a number of steps, unless they are slow.
const CALLS: u32 = 16;
const SOON: Duration = Duration::from_millis(100);
/// The first line where nothing is drawn; the pauses after it are twice as long each, up to the longest.
const FIRST_LINE: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

impl Bar {
    /// None if there is no way from the start to the stop.
    pub fn new(start: f64, stop: f64) -> Option<Self> {
        let now = Instant::now();
        (stop > start).then(|| Self {
            start,
            stop,
            is_drawn: terminals().stderr,
            shown: None,
            began: now,
            read: now,
            calls: 0,
            pause: 1,
            next_line: FIRST_LINE,
        })
    }

    /// Shows the time that a simulation has reached, if the last one was shown long enough ago; returns what was shown.
    #[inline]
    pub fn update(&mut self, time: f64) -> Option<Progress> {
        self.calls += 1;
        if self.calls < self.pause {
            return None;
        }
        self.calls = 0;
        self.update_at(time, Instant::now())
    }

    fn update_at(&mut self, time: f64, now: Instant) -> Option<Progress> {
        let read = std::mem::replace(&mut self.read, now);
        self.pause = if now.duration_since(read) < SOON { CALLS } else { 1 };
        let elapsed = now.duration_since(self.began);
        let part = ((time - self.start) / (self.stop - self.start)).clamp(0.0, 1.0);
        if self.is_drawn {
            let last = self.shown.unwrap_or(self.began);
            if now.duration_since(last) < SOON {
                return None;
            }
            let full = (part * WIDTH as f64) as usize;
            let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
            draw(&format!("\r{bar} {:3.0} %  t = {time:.6}  ", 100.0 * part));
        } else {
            if elapsed < self.next_line {
                return None;
            }
            self.next_line = elapsed + elapsed.min(LONGEST_PAUSE);
            error_line(&format!(
                "t = {time:.6} of {} ({:.1} %) after {:.0} s",
                self.stop,
                100.0 * part,
                elapsed.as_secs_f64()
            ));
        }
        self.shown = Some(now);
        Some(Progress { elapsed, part })
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
        if self.is_drawn && self.shown.is_some() {
            draw(&format!("\r{:width$}\r", "", width = WIDTH + 40));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_without_a_terminal_show_lines_with_growing_pauses() {
        let mut bar = Bar::new(0.0, 1000.0).unwrap();
        bar.is_drawn = false;
        let began = bar.began;
        let mut shown = Vec::new();
        for second in 0..300 {
            let now = began + Duration::from_secs(second);
            if let Some(progress) = bar.update_at(second as f64, now) {
                assert_eq!(progress.elapsed, Duration::from_secs(second));
                assert_eq!(progress.part, second as f64 / 1000.0);
                shown.push(second);
            }
        }
        assert_eq!(shown, [10, 20, 40, 80, 140, 200, 260]);
    }

    #[test]
    fn slow_steps_are_all_looked_at() {
        let mut bar = Bar::new(0.0, 1.0).unwrap();
        let began = bar.began;
        bar.update_at(0.1, began + Duration::from_millis(1));
        assert_eq!(bar.pause, CALLS);
        bar.update_at(0.2, began + Duration::from_secs(2));
        assert_eq!(bar.pause, 1);
    }
}
