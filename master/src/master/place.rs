//! One component: its ranges among all inputs and outputs, and what its calls cost.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::curves::Curves;
use crate::component::{Capabilities, ComponentError, Outcome, Stepping};

/// A component in its place among all.
pub(super) struct Place {
    pub component: Box<dyn Stepping>,
    pub can: Capabilities,
    /// Its inputs and outputs among all.
    pub inputs: Range<usize>,
    pub outputs: Range<usize>,
    /// The highest derivatives of its inputs that it receives.
    pub orders: u32,
    /// How its outputs change with its inputs, one row per output, as evaluated last.
    pub feed_through: Vec<f64>,
    /// What its last step in parallel gave.
    pub y: Vec<f64>,
    pub outcome: Option<Result<Outcome, ComponentError>>,
    /// It ended the simulation at the end of its last step; and whether it had where snapshots were taken, by their places.
    pub ended: bool,
    ended_before: Vec<bool>,
    pub steps: u64,
    pub evaluations: u64,
    pub clock: Clock,
}

/// A time that is nearer to the end of a step than this part of it is that end.
const NEAR: f64 = 1e-9;

impl Place {
    pub fn new(
        component: Box<dyn Stepping>,
        inputs: Range<usize>,
        outputs: Range<usize>,
        order: u32,
    ) -> Place {
        let can = component.capabilities();
        Place {
            orders: order.min(can.input_derivatives),
            feed_through: vec![0.0; inputs.len() * outputs.len()],
            y: vec![0.0; outputs.len()],
            can,
            component,
            inputs,
            outputs,
            outcome: None,
            ended: false,
            ended_before: Vec::new(),
            steps: 0,
            evaluations: 0,
            clock: Clock::default(),
        }
    }

    /// Remembers where it is in the place of that number.
    pub fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.component.save(place)?;
        if self.ended_before.len() <= place {
            self.ended_before.resize(place + 1, false);
        }
        self.ended_before[place] = self.ended;
        Ok(())
    }

    /// Goes back to what was saved there.
    pub fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        self.component.restore(place)?;
        self.ended = self.ended_before.get(place).is_some_and(|ended| *ended);
        Ok(())
    }

    /// Makes a step with inputs that follow their curves, and reads the outputs.
    #[inline]
    pub fn advance(
        &mut self,
        curves: &Curves,
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        if self.orders == 0 {
            return self.advance_held(&curves.start[self.inputs.clone()], t, h, final_, y);
        }
        let started = self.clock.start();
        let outcome = self.follow(curves, t, h, final_, y);
        self.clock.stop(started);
        outcome
    }

    /// Makes a step with inputs that are held, and reads the outputs.
    #[inline]
    pub fn advance_held(
        &mut self,
        u: &[f64],
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        let started = self.clock.start();
        self.steps += 1;
        self.ended = false;
        let outcome = self.component.advance(u, t, h, final_, y);
        self.clock.stop(started);
        match outcome {
            // Not `outcome` itself: a copy of all its bytes waits for the few of them that have just been written.
            Ok(Outcome::Done) => {
                self.evaluations += 1;
                Ok(Outcome::Done)
            }
            Ok(other) => self.stopped(other, t, h, y),
            Err(error) => Err(error),
        }
    }

    /// Makes a step with inputs that follow polynomials.
    fn follow(
        &mut self,
        curves: &Curves,
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        let u = &curves.start[self.inputs.clone()];
        self.steps += 1;
        self.ended = false;
        self.component.set_inputs(u)?;
        self.component
            .set_input_derivatives(1, &curves.first[self.inputs.clone()])?;
        if self.orders > 1 {
            self.component
                .set_input_derivatives(2, &curves.second[self.inputs.clone()])?;
        }
        let outcome = self.component.step(t, h, final_)?;
        if outcome != Outcome::Done {
            return self.stopped(outcome, t, h, y);
        }
        self.component.outputs(y)?;
        self.evaluations += 1;
        Ok(outcome)
    }

    /// A component that ends the simulation at the very end of a step has made that step.
    #[cold]
    fn stopped(
        &mut self,
        outcome: Outcome,
        t: f64,
        h: f64,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        match outcome {
            Outcome::Terminated { reached: Some(time) } if time >= t + h - NEAR * h => {
                self.component.outputs(y)?;
                self.evaluations += 1;
                self.ended = true;
                Ok(Outcome::Done)
            }
            outcome => Ok(outcome),
        }
    }

    /// The same, with what it gives kept aside.
    pub fn advance_aside(&mut self, curves: &Curves, t: f64, h: f64, final_: bool) {
        let mut y = std::mem::take(&mut self.y);
        self.outcome = Some(self.advance(curves, t, h, final_, &mut y));
        self.y = y;
    }

    /// How an output changes with an input of this component, both by their numbers among all.
    pub fn partial(&self, output: usize, input: usize) -> f64 {
        self.feed_through[(output - self.outputs.start) * self.inputs.len() + input - self.inputs.start]
    }
}

/// Measures how long something takes that may be so short that looking at the clock each time would double it.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    measured: Duration,
    samples: u32,
    /// What a call takes as a rule: a call during which the system runs something else for milliseconds hardly counts.
    typical: Duration,
    calls: u64,
    /// The call that is measured next.
    next: u64,
}

impl Clock {
    /// The first calls are all measured. Short calls are then measured less and less often: on some machines the
    /// clock takes longer than a microsecond.
    const FIRST: u64 = 64;
    const RAREST: u64 = 4096;
    const LONG: Duration = Duration::from_micros(20);

    #[inline]
    pub fn start(&mut self) -> Option<Instant> {
        self.calls += 1;
        (self.calls >= self.next).then(Instant::now)
    }

    #[inline]
    pub fn stop(&mut self, started: Option<Instant>) {
        if let Some(started) = started {
            self.measure(started);
        }
    }

    #[cold]
    fn measure(&mut self, started: Instant) {
        self.add(started.elapsed());
    }

    fn add(&mut self, taken: Duration) {
        self.measured += taken;
        self.samples += 1;
        self.typical = match self.samples {
            1 => taken,
            _ => (7 * self.typical + taken.min(4 * self.typical)) / 8,
        };
        let pause = match self.calls < Self::FIRST || self.typical > Self::LONG {
            true => 1,
            false => (self.calls / 4).min(Self::RAREST),
        };
        self.next = self.calls + pause;
    }

    /// How long a call takes.
    pub fn each(&self) -> Duration {
        self.typical
    }

    /// How long all calls have taken: those that were measured, and the others as usual.
    pub fn total(&self) -> Duration {
        let others = self.calls.saturating_sub(self.samples.into());
        self.measured + self.typical.mul_f64(others as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short calls, the tenth of which the system interrupts; answers the clock.
    fn interrupted(calls: u64, each: Duration) -> Clock {
        let mut clock = Clock::default();
        for call in 1..=calls {
            if clock.start().is_some() {
                clock.add(if call == 10 {
                    Duration::from_millis(4)
                } else {
                    each
                });
            }
        }
        clock
    }

    #[test]
    fn one_interrupted_call_does_not_make_all_of_them_long() {
        let clock = interrupted(100_000, Duration::from_nanos(100));
        assert!(clock.samples < 1000, "{clock:?}");
        assert!(clock.each() < Duration::from_nanos(110), "{clock:?}");
        let total = clock.total().as_secs_f64();
        assert!((total - 14e-3).abs() < 1e-3, "{total}");
    }

    #[test]
    fn long_calls_are_all_measured() {
        let clock = interrupted(1000, Duration::from_micros(50));
        assert_eq!(clock.samples, 1000);
        let total = clock.total().as_secs_f64();
        assert!((total - 54e-3).abs() < 1e-3, "{total}");
    }
}
