//! Event indicators as the environment sees them: never exactly 0.
//!
//! An event is a change of domain between `z > 0` and `z <= 0`, so at a restart an indicator must lie clearly on one
//! side (FMI 2.0.5, section 3.2.2). After a bounce the height is exactly 0: the number does not show whether
//! the ball is about to rise or to fall through. The side that an indicator had while time last passed decides: the
//! ball was above, so 0 is reported as a tiny positive number, and rising is not a second event. What the integrator saw
//! in between, a step slightly too far, does not count.
//!
//! While time passes, 0 belongs to `z <= 0` as the standard has it, and is reported as a tiny negative number: also
//! a caller who multiplies two values to find a change of sign sees that something has happened. Only where the
//! indicator was 0 at the restart, 0 keeps the side given to it then, or a ball at rest would bounce forever.

use crate::stored::{Damaged, Reader, Writer};

/// At most 1e-10 of the nominal value of any sensibly scaled indicator, and far from where products underflow.
const TINY: f64 = 1e-20;

pub(super) struct Indicators {
    raw: Box<[f64]>,
    sides: Box<[Side]>,
    /// At an event or in initialization, where 0 keeps its side.
    restarting: bool,
}

fmu_numerics::clone_in_place! { [] Indicators => Indicators { raw, sides, restarting } }

#[derive(Clone, Copy)]
struct Side {
    negative: bool,
    /// Was 0 when time began to pass.
    was_zero: bool,
}

impl Indicators {
    pub fn new(count: usize) -> Indicators {
        let unknown = Side {
            negative: false,
            was_zero: true,
        };
        Indicators {
            raw: vec![0.0; count].into(),
            sides: vec![unknown; count].into(),
            restarting: true,
        }
    }

    /// Back to the beginning.
    pub fn forget(&mut self) {
        *self = Indicators::new(self.raw.len());
    }

    /// Where the model's own values go.
    pub fn raw_mut(&mut self) -> &mut [f64] {
        &mut self.raw
    }

    /// An event begins.
    pub fn restart(&mut self) {
        self.restarting = true;
    }

    /// Time begins to pass; the model's own values are up to date.
    pub fn settle(&mut self) {
        for (side, &z) in self.sides.iter_mut().zip(&self.raw) {
            side.was_zero = z == 0.0;
            if !side.was_zero {
                side.negative = z < 0.0;
            }
        }
        self.restarting = false;
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64s(&self.raw);
        for side in &self.sides {
            out.bool(side.negative);
            out.bool(side.was_zero);
        }
        out.bool(self.restarting);
    }

    pub fn read_from(count: usize, from: &mut Reader<'_>) -> Result<Indicators, Damaged> {
        let mut read = Indicators::new(count);
        from.f64s(&mut read.raw)?;
        for side in &mut read.sides {
            side.negative = from.bool()?;
            side.was_zero = from.bool()?;
        }
        read.restarting = from.bool()?;
        Ok(read)
    }

    pub fn report(&self, reported: &mut [f64]) {
        for ((reported, &z), side) in reported.iter_mut().zip(&self.raw).zip(&self.sides) {
            let keeps_side = self.restarting || side.was_zero;
            *reported = match z == 0.0 {
                false => z,
                true if keeps_side && !side.negative => TINY,
                true => -TINY,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Indicators;

    fn report(indicators: &mut Indicators, z: f64) -> f64 {
        indicators.raw_mut()[0] = z;
        let mut reported = [f64::NAN];
        indicators.report(&mut reported);
        reported[0]
    }

    /// Restarts with `z` after an event, and returns what is reported before and after time begins to pass.
    fn restart(indicators: &mut Indicators, z: f64) -> (f64, f64) {
        indicators.restart();
        let before = report(indicators, z);
        indicators.settle();
        (before, report(indicators, z))
    }

    #[test]
    fn a_bounce_stays_above_whether_the_step_went_too_far_or_hit_exactly() {
        for arrival in [-1e-9, 0.0] {
            let mut z = Indicators::new(1);
            restart(&mut z, 1.0);
            assert!(report(&mut z, 0.5) > 0.0);
            assert!(report(&mut z, arrival) < 0.0, "the event is seen");
            let (before, after) = restart(&mut z, 0.0);
            assert!(before > 0.0 && before <= 1e-10);
            assert_eq!(before, after);
            assert!(report(&mut z, 1e-3) > 0.0, "rising is not an event");
            assert!(report(&mut z, -1e-12) < 0.0, "the next bounce is one");
        }
    }

    #[test]
    fn rest_on_zero_is_no_event() {
        let mut z = Indicators::new(1);
        restart(&mut z, 1.0);
        let (_, at_rest) = restart(&mut z, 0.0);
        for _ in 0..3 {
            assert_eq!(report(&mut z, 0.0), at_rest);
            assert_eq!(restart(&mut z, 0.0), (at_rest, at_rest));
        }
    }

    #[test]
    fn from_below_zero_stays_below_until_it_is_passed() {
        let mut z = Indicators::new(1);
        restart(&mut z, -1.0);
        assert!(report(&mut z, 0.0) < 0.0);
        let (before, after) = restart(&mut z, 0.0);
        assert!(before < 0.0 && after < 0.0);
        assert!(report(&mut z, 1e-3) > 0.0);
    }

    #[test]
    fn a_start_on_zero_counts_as_above() {
        let mut z = Indicators::new(1);
        assert!(report(&mut z, 0.0) > 0.0);
        assert!(report(&mut z, -0.0) > 0.0);
        let (before, after) = restart(&mut z, 0.0);
        assert!(before > 0.0 && after > 0.0);
        assert!(report(&mut z, -1e-15) < 0.0, "falling through is an event");
    }
}
