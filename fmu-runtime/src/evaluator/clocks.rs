//! The clocks of sampled functions: when each of them ticks next.
//!
//! Tick k is at `anchor + k period`, computed from k each time, so that rounding errors do not add up. Ticks of
//! several clocks that are closer than [`TOGETHER`] of the shorter period are one event.

use crate::ModelError;
use crate::model::{Discrete, Sampling};
use crate::stored::{Damaged, Reader, Writer};

/// Ticks that are closer than this part of the shorter period are one event.
const TOGETHER: f64 = 1e-9;
/// An integrator may stop so many roundings early.
const ROUNDINGS: f64 = 16.0;

#[derive(Debug)]
pub(super) struct Clocks(Box<[Clock]>);

impl Clone for Clocks {
    fn clone(&self) -> Clocks {
        Clocks(self.0.clone())
    }
    fn clone_from(&mut self, source: &Clocks) {
        self.0.clone_from(&source.0);
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// The first tick, or the last one before the period changed.
    anchor: f64,
    period: f64,
    /// The number of the next tick, counted from the anchor.
    count: u64,
}

impl Clock {
    fn tick(&self) -> f64 {
        self.anchor + self.count as f64 * self.period
    }
}

fn roundings(t: f64) -> f64 {
    ROUNDINGS * f64::EPSILON * t.abs()
}

impl Clocks {
    pub fn new(count: usize) -> Clocks {
        Clocks(vec![Clock::default(); count].into())
    }

    /// The simulation starts at `t`.
    pub fn start(&mut self, model: &impl Discrete, t: f64) -> Result<(), ModelError> {
        for (index, clock) in self.0.iter_mut().enumerate() {
            let Sampling { period, offset, .. } = checked(model.sampling(index))?;
            let before = if offset < 0.0 {
                (-offset / period).ceil()
            } else {
                0.0
            };
            *clock = Clock {
                anchor: t + offset,
                period,
                count: before as u64,
            };
        }
        Ok(())
    }

    /// The shortest period of the clocks that tick at `t`, if any does.
    pub fn shortest_due(&self, t: f64) -> Option<f64> {
        let due = self.0.iter().filter(|clock| t >= clock.tick() - roundings(t));
        due.map(|clock| clock.period).reduce(f64::min)
    }

    /// Whether a clock ticks at `t`, where another one with the period `shortest` does.
    pub fn is_due(&self, index: usize, t: f64, shortest: f64) -> bool {
        let clock = &self.0[index];
        let together = TOGETHER * shortest.min(clock.period);
        clock.tick() <= t + together.max(roundings(t))
    }

    /// A clock has ticked at `t`. Ticks that were passed over are left out.
    pub fn advance(&mut self, index: usize, t: f64) {
        let clock = &mut self.0[index];
        clock.count += 1;
        if clock.tick() <= t {
            clock.count = ((t - clock.anchor) / clock.period).floor() as u64 + 1;
        }
    }

    /// The next tick after `t`. A period that has changed counts from the last tick on.
    pub fn next(&mut self, model: &impl Discrete, t: f64) -> Result<Option<f64>, ModelError> {
        let mut next: Option<f64> = None;
        for (index, clock) in self.0.iter_mut().enumerate() {
            let sampling = checked(model.sampling(index))?;
            if sampling.period != clock.period {
                if clock.count > 0 {
                    clock.anchor += (clock.count - 1) as f64 * clock.period;
                    clock.count = 1;
                }
                clock.period = sampling.period;
            }
            let tick = clock.tick();
            // A period that has become shorter counts from now on if its next tick would be over already.
            if tick <= t && t + sampling.period > t {
                *clock = Clock {
                    anchor: t,
                    period: sampling.period,
                    count: 1,
                };
            }
            let tick = clock.tick();
            if tick <= t {
                return Err(ModelError::new(format!(
                    "the period of `fn {}` is {} s, too short for the time t = {t}",
                    sampling.function, sampling.period
                )));
            }
            next = Some(next.map_or(tick, |next| next.min(tick)));
        }
        Ok(next)
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        for clock in &self.0 {
            out.f64(clock.anchor);
            out.f64(clock.period);
            out.u64(clock.count);
        }
    }

    pub fn read_from(count: usize, from: &mut Reader<'_>) -> Result<Clocks, Damaged> {
        let mut read = Clocks::new(count);
        for clock in &mut read.0 {
            clock.anchor = from.finite()?;
            clock.period = from.finite()?;
            clock.count = from.u64()?;
        }
        Ok(read)
    }
}

fn checked(sampling: Sampling) -> Result<Sampling, ModelError> {
    let Sampling {
        function,
        period,
        offset,
    } = sampling;
    if period.is_nan() {
        return Err(ModelError::new(format!(
            "`fn {function}` has no period: write `#[sampled(period = ...)]` on the function or on the part that has it"
        )));
    }
    if period <= 0.0 || !period.is_finite() || !offset.is_finite() {
        return Err(ModelError::new(format!(
            "`fn {function}` is sampled with period {period} and offset {offset}: the period must be greater than 0, and both \
             must be finite"
        )));
    }
    Ok(sampling)
}
