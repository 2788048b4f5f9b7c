//! Splits an error into the part that follows the inputs at once, and the part that stays in states that cannot be read.
//!
//! With y = C x + D u, the outputs at the end of a whole step and of two half steps differ by D times the difference of the
//! inputs there, which is gone as soon as the inputs are right, and by what differs in the states, which accumulates.

use super::Master;
use super::jumps::Jumps;
use super::measure::Measures;
use crate::settings::{Algorithm, Correction};

/// Outputs whose errors are split.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// Components that are asked for their feed-through.
    components: Vec<usize>,
    outputs: Vec<Of>,
    /// The inputs that belong to the outputs at the end of the whole step and of both halves.
    ends: [Vec<f64>; 2],
}

#[derive(Clone, Debug)]
struct Of {
    component: usize,
    /// Among the measures, and among all outputs.
    measure: usize,
    output: usize,
    /// What inputs have done to the difference between both halves and the whole step.
    part: f64,
    /// What jumps do to it.
    jump: f64,
}

impl Split {
    /// One more output. Measures come in increasing order.
    pub fn add(&mut self, component: usize, measure: usize, output: usize) {
        if self.components.last() != Some(&component) {
            self.components.push(component);
        }
        self.outputs.push(Of {
            component,
            measure,
            output,
            part: 0.0,
            jump: 0.0,
        });
    }

    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    pub fn remove(&mut self, component: usize) {
        self.components.retain(|one| *one != component);
        self.outputs.retain(|one| one.component != component);
    }

    fn of(&self, measure: usize) -> Option<&Of> {
        let at = self
            .outputs
            .binary_search_by_key(&measure, |one| one.measure)
            .ok()?;
        self.outputs.get(at)
    }

    /// The part of the difference of a measure that goes with the inputs.
    pub fn part(&self, measure: usize) -> f64 {
        self.of(measure).map_or(0.0, |one| one.part)
    }

    /// The part of what jumps do to a measure that goes with the inputs.
    pub fn jump(&self, measure: usize) -> f64 {
        self.of(measure).map_or(0.0, |one| one.jump)
    }
}

impl Master {
    /// Whether a component reports its feed-through, and its inputs at the end of a step are known: those that are states of its
    /// integration are not, unless outputs are read again.
    pub(super) fn can_split(&self, component: usize) -> bool {
        let known = self.plan.closes || self.settings.algorithm != Algorithm::Stabilized;
        known && self.can[component].directional_derivatives
    }

    /// Errors will be split: the ends of inputs are kept.
    pub(super) fn prepare_split(&mut self, measures: &Measures) {
        if !measures.split.is_empty() {
            self.memory.extrapolation.keeps_used = true;
            self.memory.plain.possible = false;
        }
    }

    /// Remembers the inputs that belong to the outputs now: at the end of the whole step (0), or of both halves (1).
    pub(super) fn note_ends(&self, split: &mut Split, which: usize) {
        if split.is_empty() {
            return;
        }
        let corrected = self.settings.correction != Correction::None || self.plan.closes;
        let ends = if corrected {
            &self.state.values.u
        } else {
            &self.state.values.end
        };
        split.ends[which].clear();
        split.ends[which].extend_from_slice(ends);
    }

    /// Both halves are done: splits what they differ by from the whole step.
    pub(super) fn split(&mut self, measures: &mut Measures) {
        let mut at = 0;
        while let Some(&component) = measures.split.components.get(at) {
            let one = self.place(component);
            match one.component.feed_through(&mut one.feed_through) {
                Ok(()) => at += 1,
                Err(_) => measures.unsplit(component),
            }
        }
        let Split { outputs, ends, .. } = &mut measures.split;
        for one in outputs {
            let [coarse, fine] = &*ends;
            one.part = self.through(one, |input| fine[input] - coarse[input]);
            one.jump = 0.0;
        }
    }

    /// The same for jumps of inputs.
    pub(super) fn split_jumps(&mut self, jumps: &Jumps, split: &mut Split) {
        for one in &mut split.outputs {
            one.jump = self.through(one, |input| jumps.missed_by(input));
        }
    }

    fn through(&mut self, one: &Of, change: impl Fn(usize) -> f64) -> f64 {
        let component = self.place(one.component);
        let inputs = component.inputs.clone();
        inputs
            .map(|input| component.partial(one.output, input) * change(input))
            .sum()
    }
}
