//! Whether values grow beyond all reason.

use crate::coupling::Coupling;

/// So many times their usual size, and growing step by step: nothing that a model means.
const SUSPICIOUS: f64 = 1e6;
const STEPS: u32 = 20;
/// Growth from one step to the next, or over two steps where signs change, that counts as such.
const FACTOR: f64 = 1.05;
/// So many times their usual size is beyond all reason.
const BEYOND: f64 = 1e15;

/// Watches the outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// The inverse of what is usual for each output.
    scale: Vec<f64>,
    /// The largest multiple of it, at the last two points.
    last: [f64; 2],
    growing: u32,
}

/// What an output does that it should not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Runaway {
    pub output: usize,
    /// It is beyond all reason.
    pub beyond: bool,
    /// By which factor it grows from step to step, if that is known.
    pub factor: Option<f64>,
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
        self.last = [f64::INFINITY; 2];
        self.growing = 0;
    }

    /// Looks at the outputs of the next point.
    #[inline]
    pub fn look(&mut self, y: &[f64]) -> Option<Runaway> {
        let mut largest = (0.0, 0);
        for (output, (y, scale)) in y.iter().zip(&self.scale).enumerate() {
            let size = y.abs() * scale;
            // Written so that it is also true for what is no number.
            if !(size <= largest.0) {
                largest = (size, output);
                if !size.is_finite() {
                    break;
                }
            }
        }
        let (size, output) = largest;
        if size < SUSPICIOUS {
            self.growing = 0;
            self.last = [size, self.last[0]];
            return None;
        }
        let grows = size > FACTOR * self.last[0] || size > FACTOR * FACTOR * self.last[1];
        self.growing = if grows { self.growing + 1 } else { 0 };
        let factor = (size / self.last[1]).sqrt();
        self.last = [size, self.last[0]];
        let beyond = size >= BEYOND || size.is_nan();
        (beyond || self.growing >= STEPS).then_some(Runaway {
            output,
            beyond,
            factor: (factor.is_finite() && self.growing > 2).then_some(factor),
        })
    }
}
