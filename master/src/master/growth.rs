//! Detects values that grow without bound.

use crate::coupling::Coupling;

/// Values that exceed their nominal size by this factor, and have doubled repeatedly in the same number of steps, are not what a
/// model means. (A power of time takes longer for each doubling.)
const SUSPICIOUS: f64 = 1e6;
/// The number of doublings that are compared, and how much longer the later half of them may take.
const DOUBLINGS: usize = 10;
const LONGER: f64 = 1.5;
/// Values that exceed their nominal size by this factor have diverged.
const BEYOND: f64 = 1e15;

/// Watches the outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// The inverse of what is usual for each output.
    scale: Vec<f64>,
    /// The size that counts as the next doubling, and the steps of the last ones, the newest last.
    next: f64,
    doubled: [u64; DOUBLINGS + 1],
    step: u64,
}

/// What an output does that it should not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Runaway {
    pub output: usize,
    /// It has diverged.
    pub beyond: bool,
    /// By which factor it grows from step to step, if that is known.
    pub factor: Option<f64>,
    /// It was of its usual size before, and is not finite now.
    pub sudden: bool,
}

impl Growth {
    pub fn begin(&mut self, coupling: &Coupling, y: &[f64]) {
        self.scale.clear();
        let usual = coupling
            .outputs
            .iter()
            .zip(y)
            .map(|(output, y)| 1.0 / output.nominal.abs().max(y.abs()).max(f64::MIN_POSITIVE));
        self.scale.extend(usual);
        (self.next, self.doubled, self.step) = (2.0, [0; DOUBLINGS + 1], 0);
    }

    /// Looks at the outputs of the next point.
    #[inline]
    pub fn look(&mut self, y: &[f64]) -> Option<Runaway> {
        self.step += 1;
        let mut largest = (0.0, 0);
        for (output, (y, scale)) in y.iter().zip(&self.scale).enumerate() {
            let size = y.abs() * scale;
            if size.is_nan() || size > largest.0 {
                largest = (size, output);
                if !size.is_finite() {
                    break;
                }
            }
        }
        match largest.0 < self.next {
            true => None,
            false => self.grown(largest.0, largest.1),
        }
    }

    #[cold]
    fn grown(&mut self, size: f64, output: usize) -> Option<Runaway> {
        if !size.is_finite() {
            return Some(Runaway {
                output,
                beyond: true,
                factor: None,
                sudden: self.next <= SUSPICIOUS,
            });
        }
        while size >= self.next {
            self.next *= 2.0;
            self.doubled.rotate_left(1);
            self.doubled[DOUBLINGS] = self.step;
        }
        let [first, .., last] = self.doubled;
        let middle = self.doubled[DOUBLINGS / 2];
        let steady = (last - middle) as f64 <= LONGER * (middle - first) as f64;
        let beyond = size >= BEYOND;
        let runs_away = size >= SUSPICIOUS && steady && last - first >= DOUBLINGS as u64 / 2;
        (runs_away || beyond).then(|| Runaway {
            output,
            beyond,
            sudden: false,
            factor: (last > first).then(|| (DOUBLINGS as f64 / (last - first) as f64).exp2()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Output;

    fn first_alarm(y: impl Fn(u64) -> f64) -> Option<u64> {
        let mut coupling = Coupling::default();
        let output = Output {
            name: "a.y".into(),
            nominal: 1.0,
            feed_through: Vec::new(),
        };
        coupling.add("a", Vec::new(), vec![output]);
        let mut growth = Growth::default();
        growth.begin(&coupling, &[y(0)]);
        (1..100_000).find(|&step| growth.look(&[y(step)]).is_some())
    }

    #[test]
    fn exponential_growth_is_distinguished_from_large_values() {
        // A slow oscillation that grows by a twentieth of a percent in a step, and a fast one.
        let slow = |k: u64| 1.0005f64.powi(k as i32) * (0.01 * k as f64).sin();
        assert!(first_alarm(slow).is_some_and(|step| step < 30_000));
        assert!(first_alarm(|k| (-1.8f64).powi(k as i32 / 2)).is_some_and(|step| step < 60));
        // A ramp, a parabola of time, a jump to a large value, and a decay from one.
        assert_eq!(first_alarm(|k| 1e4 * k as f64), None);
        assert_eq!(first_alarm(|k| 1e-2 * (k * k) as f64), None);
        assert_eq!(first_alarm(|k| if k < 50 { 1.0 } else { 1e9 }), None);
        assert_eq!(first_alarm(|k| 1e12 * 0.99f64.powi(k as i32)), None);
        assert_eq!(first_alarm(|k| if k < 50 { 1.0 } else { f64::NAN }), Some(50));
    }
}
