//! Steps that are compared with two of half the size: now and then in a run whose accuracy cannot be foreseen, and to try a step for
//! advice. They are undone and not counted.

use super::Master;
use super::step::Ended;
use crate::advise::TRIED;
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::Snapshots;
use crate::statistics::Statistics;

/// The place of snapshots for steps that are only compared.
pub(super) const COMPARED: usize = 4;
/// Errors that add up to more than this part of an output are worth a warning.
pub(super) const MUCH: f64 = 0.02;
/// Steps that are tried for advice, at most.
const MOST_TRIES: usize = 40;
/// Errors of which more than this part is a shift in time are reported as phase errors.
const PHASE: f64 = 0.8;
/// Where the error of a step is this part of what the step changes, values change as their equations say.
const AS_MEANT: f64 = 0.05;

/// Steps that are compared with two of half the size, now and then.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// The number of steps after which the next one is compared; never without a comparison.
    next: Option<u64>,
    /// Outputs that are compared.
    outputs: Vec<usize>,
    /// What the errors of each of them may add up to, and the largest value that was seen.
    sums: Vec<f64>,
    sizes: Vec<f64>,
    /// What is before the step, what the whole step led to, what the first half led to, and the errors of the whole step.
    before: Vec<f64>,
    whole: Vec<f64>,
    halfway: Vec<f64>,
    errors: Vec<f64>,
    phase: Phase,
    /// The output may follow inputs at once; and its error behaves like that of inputs, which does not add up.
    may_follow: Vec<bool>,
    follows: Vec<bool>,
    /// Steps and evaluations of each component before the comparison.
    counted: Vec<(u64, u64)>,
    /// In place of those of the run while steps are compared.
    statistics: Statistics,
}

/// Errors that only shift trajectories in time, apart from those that change the trajectories.
#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    /// The time by which the last compared step is ahead on the trajectory, and the part of its error that this explains.
    step: f64,
    part: f64,
    /// What the times of all steps may add up to, with their signs and without, and the parts likewise.
    sum: f64,
    sizes: f64,
    parts: f64,
    steps: f64,
}

impl Phase {
    /// Takes the error of a step: (change over the step, error), each as a part of the size of its value.
    fn see(&mut self, h: f64, values: impl Iterator<Item = (f64, f64)>) {
        let (mut along, mut course, mut all) = (0.0, 0.0, 0.0);
        for (change, error) in values {
            along += change * error;
            course += change * change;
            all += error * error;
        }
        (self.step, self.part) = match course > 0.0 && all > 0.0 {
            true => (h * along / course, along.abs() / (course * all).sqrt()),
            false => (0.0, 0.0),
        };
    }

    /// Counts the step that was compared last for so many.
    fn add(&mut self, steps: f64) {
        self.sum += steps * self.step;
        self.sizes += steps * self.step.abs();
        self.parts += steps * self.part;
        self.steps += steps;
    }

    /// The time by which values come too late (negative) or too early, where most of the errors do just that, all in the same
    /// direction.
    fn shift(&self) -> Option<f64> {
        (self.parts > PHASE * self.steps && self.sum.abs() > PHASE * self.sizes).then_some(self.sum)
    }
}

impl Master {
    /// All components can repeat a step, and with another size.
    pub(super) fn can_compare(&mut self) -> bool {
        let can_go_back = (0..self.components.len()).all(|component| {
            let can = &self.place(component).can;
            can.snapshots && can.variable_step
        });
        can_go_back && self.settings.snapshots != Snapshots::Never
    }

    /// Looks for a step from here whose error, by two of half the size, is a small part of each output. None if components
    /// cannot go back or nothing is exchanged. Everything is then where it was.
    pub(super) fn try_steps(&mut self) -> Result<Option<f64>, Error> {
        let mut inputs = self.coupling.inputs.iter();
        if !inputs.any(|input| matches!(input.link, Link::Output { .. })) || !self.can_compare() {
            return Ok(None);
        }
        self.begin_comparison();
        let (mut h, mut found) = (0.1 * self.duration(), None);
        for _ in 0..MOST_TRIES {
            if self.errors_of_a_step(h)? {
                let error = self.largest_error();
                if error <= TRIED {
                    found = Some(h);
                    break;
                }
                h *= (0.9 * (TRIED / error).sqrt()).clamp(0.1, 0.7);
            } else if self.memory.comparison.next.is_none() {
                break;
            } else {
                h *= 0.5;
            }
        }
        self.memory.comparison = Comparison::default();
        Ok(found)
    }

    /// The largest error of the step that was compared last, as a part of its output.
    fn largest_error(&self) -> f64 {
        let comparison = &self.memory.comparison;
        let part = |at: usize| {
            let output = comparison.outputs[at];
            let size = self.state.values.y[output].abs().max(comparison.whole[at].abs());
            let nominal = self.coupling.outputs[output].nominal.abs();
            comparison.errors[at] / size.max(nominal).max(f64::MIN_POSITIVE)
        };
        let accumulate = (0..comparison.outputs.len()).filter(|&at| !comparison.follows[at]);
        accumulate.map(part).fold(0.0, f64::max)
    }

    pub(super) fn begin_comparison(&mut self) {
        let (mut outputs, mut may_follow) = (Vec::new(), Vec::new());
        for component in 0..self.components.len() {
            let variables = self.place(component).component.variables();
            for (own, output) in self.coupling.outputs_of(component).enumerate() {
                if !variables.discrete_outputs.contains(&own) {
                    let through = !self.coupling.structure().feed_through[output].is_empty();
                    may_follow.push(through && variables.state_of_output(own).is_none());
                    outputs.push(output);
                }
            }
        }
        self.memory.comparison = Comparison {
            next: Some(0),
            sums: vec![0.0; outputs.len()],
            sizes: vec![0.0; outputs.len()],
            before: vec![0.0; outputs.len()],
            whole: vec![0.0; outputs.len()],
            halfway: vec![0.0; outputs.len()],
            errors: vec![0.0; outputs.len()],
            phase: Phase::default(),
            follows: vec![false; outputs.len()],
            may_follow,
            counted: vec![(0, 0); self.components.len()],
            statistics: self.statistics.clone(),
            outputs,
        };
    }

    /// Compares the step to come with two of half the size, if it is time for that.
    #[inline]
    pub(super) fn compare_halves(&mut self, h: f64) -> Result<(), Error> {
        match self.memory.comparison.next {
            Some(next) if self.statistics.steps >= next => self.compare_now(h),
            _ => Ok(()),
        }
    }

    #[cold]
    fn compare_now(&mut self, h: f64) -> Result<(), Error> {
        let steps = self.statistics.steps;
        let whole_run = (self.duration() / self.settings.step).max(1.0);
        if !self.errors_of_a_step(h)? {
            if self.memory.comparison.next.is_some() {
                self.memory.comparison.next = Some(steps + 1);
            }
            return Ok(());
        }
        // After 0, 1, 2, 4, 8 steps and so on, and at least 16 times.
        let pause = steps.max(1).min((whole_run / 16.0).ceil() as u64);
        let comparison = &mut self.memory.comparison;
        comparison.next = Some(steps + pause);
        let to_come = (pause as f64).min(whole_run - steps as f64).max(0.0);
        comparison.phase.add(to_come);
        for at in 0..comparison.outputs.len() {
            let error = comparison.errors[at];
            let output = comparison.outputs[at];
            let size = self.state.values.y[output].abs().max(comparison.whole[at].abs());
            comparison.sizes[at] = comparison.sizes[at].max(size);
            let sum = &mut comparison.sums[at];
            match comparison.follows[at] {
                _ if !error.is_finite() => {}
                true => *sum = sum.max(error),
                false => *sum += error * to_come,
            }
        }
        Ok(())
    }

    /// Estimates the errors of a step of this size from here by two of half the size; false if a component does not make
    /// them. Everything is then where it was.
    fn errors_of_a_step(&mut self, h: f64) -> Result<bool, Error> {
        match self.save(COMPARED) {
            Err(Error::Component {
                component,
                time,
                source,
            }) => return Err(self.unsaved(component, time, source)),
            saved => saved?,
        }
        let comparison = &mut self.memory.comparison;
        for (before, &output) in comparison.before.iter_mut().zip(&comparison.outputs) {
            *before = self.state.values.y[output];
        }
        // These steps are not counted.
        std::mem::swap(&mut self.statistics, &mut self.memory.comparison.statistics);
        for component in 0..self.components.len() {
            let one = self.place(component);
            let counted = (one.steps, one.evaluations);
            self.memory.comparison.counted[component] = counted;
        }
        let before = std::mem::take(&mut self.memory.comparison.before);
        let tried = self.try_halves(h, &before);
        self.memory.comparison.before = before;
        std::mem::swap(&mut self.statistics, &mut self.memory.comparison.statistics);
        self.restore(COMPARED)?;
        for component in 0..self.components.len() {
            let counted = self.memory.comparison.counted[component];
            let one = self.place(component);
            (one.steps, one.evaluations) = counted;
        }
        if let Err(error) = &tried {
            self.memory.comparison.next = None;
            self.warnings.push(format!(
                "accuracy not verified: a step that is only compared fails: {error}"
            ));
        }
        Ok(tried.unwrap_or(false))
    }

    /// A step and, from where it began, two of half the size: twice the difference of what they lead to, which is the error
    /// of the whole step, at most.
    fn try_halves(&mut self, h: f64, before: &[f64]) -> Result<bool, Error> {
        if self.step(h, false)? != Ended::Done {
            return Ok(false);
        }
        for (whole, &output) in self
            .memory
            .comparison
            .whole
            .iter_mut()
            .zip(&self.memory.comparison.outputs)
        {
            *whole = self.state.values.y[output];
        }
        self.restore(COMPARED)?;
        if self.step(0.5 * h, false)? != Ended::Done {
            return Ok(false);
        }
        for (halfway, &output) in self
            .memory
            .comparison
            .halfway
            .iter_mut()
            .zip(&self.memory.comparison.outputs)
        {
            *halfway = self.state.values.y[output];
        }
        if self.step(0.5 * h, false)? != Ended::Done {
            return Ok(false);
        }
        let comparison = &mut self.memory.comparison;
        let pairs = comparison.whole.iter().zip(&comparison.outputs);
        for (error, (whole, &output)) in comparison.errors.iter_mut().zip(pairs) {
            *error = 2.0 * (self.state.values.y[output] - whole).abs();
        }
        let values = (0..comparison.outputs.len()).filter(|&at| !comparison.may_follow[at]);
        let values = values.map(|at| {
            let (output, whole) = (comparison.outputs[at], comparison.whole[at]);
            let nominal = self.coupling.outputs[output].nominal.abs();
            let size = comparison.sizes[at].max(nominal).max(f64::MIN_POSITIVE);
            let error = 2.0 * (whole - self.state.values.y[output]);
            ((whole - before[at]) / size, error / size)
        });
        comparison.phase.see(h, values);
        match self.memory.comparison.may_follow.contains(&true) {
            true => self.find_followers(h),
            false => Ok(true),
        }
    }

    /// Distinguishes outputs that follow inputs at once from those whose errors add up: the error that held inputs bring to the former
    /// falls with one power of the step less. Two steps of a quarter show the error of a half one.
    fn find_followers(&mut self, h: f64) -> Result<bool, Error> {
        self.restore(COMPARED)?;
        if self.step(0.25 * h, false)? != Ended::Done || self.step(0.25 * h, false)? != Ended::Done {
            return Ok(false);
        }
        // Between the powers order + 1 and order + 2.
        let least = 2.0_f64.powf(f64::from(self.settings.extrapolation) + 1.5);
        let comparison = &mut self.memory.comparison;
        for (at, &output) in comparison.outputs.iter().enumerate() {
            let half = 2.0 * (self.state.values.y[output] - comparison.halfway[at]).abs();
            comparison.follows[at] = comparison.may_follow[at] && comparison.errors[at] < least * half;
        }
        Ok(true)
    }

    /// Says after a run what the errors of its steps may add up to.
    pub(super) fn sum_up_comparison(&mut self) {
        let comparison = &self.memory.comparison;
        if comparison.next.is_none() {
            return;
        }
        let part = |at: usize| {
            let nominal = self.coupling.outputs[comparison.outputs[at]].nominal.abs();
            comparison.sums[at] / comparison.sizes[at].max(nominal).max(f64::MIN_POSITIVE)
        };
        let worst = (0..comparison.sums.len()).max_by(|&one, &other| part(one).total_cmp(&part(other)));
        if let Some(worst) = worst.filter(|&worst| part(worst) > MUCH) {
            let (name, part) = (
                self.coupling.outputs[comparison.outputs[worst]].name.clone(),
                part(worst),
            );
            let shift = comparison.phase.shift();
            let ways = self.more_accurate();
            let amount = match shift {
                Some(shift) => format!(
                    "values come up to {:.2e} s too {} (an error of the phase of what swings, and not of its size), so that \
                     {name} may be wrong by {:.1} % of its size",
                    shift.abs(),
                    if shift < 0.0 { "late" } else { "early" },
                    100.0 * part
                ),
                None => format!(
                    "errors of {name} add up to {:.1} % of its size where nothing damps them",
                    100.0 * part
                ),
            };
            self.warnings.push(format!(
                "steps of {} are not accurate over the whole run: compared with steps of half the size, {amount}. Take a \
                 smaller step, {ways}",
                self.settings.step
            ));
        }
    }

    /// Whether a step from here changes values as their equations say, by two of half the size; false if components cannot go
    /// back.
    pub(super) fn changes_as_meant(&mut self, h: f64) -> Result<bool, Error> {
        if self.memory.comparison.next.is_none() {
            if !self.can_compare() {
                return Ok(false);
            }
            self.begin_comparison();
            let meant = self.changes_as_meant(h);
            self.memory.comparison = Comparison::default();
            return meant;
        }
        let outputs = self.memory.comparison.outputs.iter();
        let before: Vec<f64> = outputs.map(|&output| self.state.values.y[output]).collect();
        if !self.errors_of_a_step(h)? {
            return Ok(false);
        }
        let Comparison {
            whole,
            errors,
            follows,
            ..
        } = &self.memory.comparison;
        // What follows inputs says no more than the values behind them.
        let meant = |at: usize| {
            let change = (whole[at] - before[at]).abs().max(1e-9 * whole[at].abs());
            follows[at] || errors[at] <= AS_MEANT * change
        };
        Ok((0..whole.len()).all(meant))
    }
}
