//! How long the FMU takes, without a look at the clock for every call.

use std::time::Duration;

/// A call that is over sooner costs less than a look at the clock: only some of them are measured.
const SHORT: Duration = Duration::from_micros(1);
const EVERY: u32 = 16;

/// Sums the time of calls. Those between two that are measured are taken to be as long as the last short one.
#[derive(Debug, Default)]
pub struct Stopwatch {
    total: Duration,
    short: Option<Duration>,
    unmeasured: u32,
}

impl Stopwatch {
    /// Whether the next call is to be measured; if not, it is counted.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        let due = self.short.is_none() || self.unmeasured + 1 >= EVERY;
        self.unmeasured += u32::from(!due);
        due
    }

    /// Adds a call that was measured.
    pub fn add(&mut self, took: Duration) {
        self.total += took + self.short.unwrap_or_default() * self.unmeasured;
        self.unmeasured = 0;
        self.short = (took < SHORT).then_some(took);
    }

    /// All calls so far.
    pub fn total(&self) -> Duration {
        self.total + self.short.unwrap_or_default() * self.unmeasured
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Stopwatch;

    #[test]
    fn long_calls_are_all_measured_and_short_ones_are_estimated() {
        let mut watch = Stopwatch::default();
        for _ in 0..10 {
            assert!(watch.is_due());
            watch.add(Duration::from_micros(5));
        }
        assert_eq!(watch.total(), Duration::from_micros(50));
        let mut measured = 0;
        for _ in 0..1601 {
            if watch.is_due() {
                measured += 1;
                watch.add(Duration::from_nanos(100));
            }
        }
        assert_eq!(measured, 101);
        assert_eq!(watch.total(), Duration::from_nanos(50_000 + 160_100));
    }
}
