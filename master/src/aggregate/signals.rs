//! Signals from outside, with the times at which they jump or have a kink.

use crate::signals::Signals;

/// External inputs w(t).
pub(super) struct TimedSignals {
    pub signals: Signals,
    /// Ascending.
    jumps: Vec<f64>,
    kinks: Vec<f64>,
    /// Jumps that have been passed.
    passed: usize,
}

impl TimedSignals {
    pub fn new(signals: Signals) -> TimedSignals {
        let times = |jump: bool| {
            let corners = signals.corners().iter().filter(|corner| corner.jump == jump);
            let times = corners.map(|corner| corner.time);
            let mut times: Vec<f64> = times.filter(|time| time.is_finite()).collect();
            times.sort_unstable_by(f64::total_cmp);
            times.dedup();
            times
        };
        TimedSignals {
            jumps: times(true),
            kinks: times(false),
            signals,
            passed: 0,
        }
    }

    /// All values; up to a jump that is not passed those before it.
    pub fn evaluate(&self, time: f64, w: &mut [f64]) {
        let jump = self.next_jump();
        let time = if time >= jump { jump.next_down() } else { time };
        self.signals.evaluate(time, 0, w);
    }

    pub fn next_jump(&self) -> f64 {
        self.jumps.get(self.passed).copied().unwrap_or(f64::INFINITY)
    }

    pub fn next_kink(&self, time: f64) -> f64 {
        let next = self.kinks.partition_point(|kink| *kink <= time);
        self.kinks.get(next).copied().unwrap_or(f64::INFINITY)
    }

    /// From here on values are those after all jumps up to this time. Returns whether there was one.
    pub fn pass(&mut self, time: f64) -> bool {
        let before = self.passed;
        self.passed = self.jumps.partition_point(|jump| *jump <= time);
        self.passed != before
    }
}
