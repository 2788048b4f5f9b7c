//! Jumps of coupled values inside a step: two half steps and a whole one may agree although all of them meet it too late.

use fmu_importer::Value;

use super::control::is_too_large;
use super::measure::{Measures, Verdict, tolerated};
use super::step::{AFTER, BEFORE, Ended};
use super::{Master, of};
use crate::coupling::{DiscreteLink, Link};
use crate::error::Error;
use crate::settings::Control;
use crate::slave::Outcome;

/// A smooth input goes as far from where it was extrapolated to in both halves of a step, within this factor.
const SMOOTH: f64 = 8.0;

/// What is remembered of a step to find jumps in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Jumps {
    /// The order in which inputs are extrapolated, and where to in a half step.
    orders: Vec<u32>,
    expected: Vec<f64>,
    /// How far from there they came, in the first half and in the second.
    missed: [Vec<f64>; 2],
    /// What the inputs of the discrete links were given before the step.
    discrete: Vec<Value>,
    /// Inputs, and discrete links with their new values, that jump.
    inputs: Vec<usize>,
    links: Vec<(usize, Value)>,
}

impl Jumps {
    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.links.is_empty()
    }

    /// How far an input that jumps came from where it was extrapolated to; 0 for others.
    pub fn missed_by(&self, input: usize) -> f64 {
        match self.inputs.contains(&input) {
            true => self.missed[0][input] + self.missed[1][input],
            false => 0.0,
        }
    }
}

impl Master {
    /// A step begins: with so few points, inputs are extrapolated in both halves.
    pub(super) fn note_orders(&self, jumps: &mut Jumps) {
        jumps.orders.clear();
        let known = |input: usize| self.values.history.known(input).0.saturating_sub(1) as u32;
        let order = |input: usize| match self.plan.told[input] {
            true => self.plan.orders[input],
            false => self.plan.orders[input].min(known(input)),
        };
        jumps.orders.extend((0..self.values.u.len()).map(order));
    }

    /// A half step of `h` begins.
    pub(super) fn expect(&self, jumps: &mut Jumps, h: f64) {
        jumps.expected.clear();
        let (u, du) = (&self.values.u, &self.values.du);
        for (input, &order) in jumps.orders.iter().enumerate() {
            let [first, second] = match order {
                0 => [0.0, 0.0],
                order if order == self.plan.orders[input] => [du[0][input], du[1][input]],
                order => self.values.history.derivatives(order, input),
            };
            jumps.expected.push(u[input] + h * (first + 0.5 * h * second));
        }
    }

    /// A half step is done: the first one, or the second.
    pub(super) fn compare(&self, jumps: &mut Jumps, half: usize) {
        let missed = &mut jumps.missed[half];
        missed.clear();
        let ends = self.values.u.iter().zip(&jumps.expected);
        missed.extend(ends.map(|(u, expected)| u - expected));
    }

    /// What the inputs of the discrete links are given before a step.
    pub(super) fn note_discrete(&mut self, jumps: &mut Jumps) -> Result<(), Error> {
        jumps.discrete.clear();
        for link in 0..self.coupling.discrete.len() {
            let value = self.discrete_value(link)?;
            jumps.discrete.push(value);
        }
        Ok(())
    }

    /// The value of a discrete link, converted to the type of its input.
    pub(super) fn discrete_value(&mut self, link: usize) -> Result<Value, Error> {
        let DiscreteLink { base_type, from, .. } = self.coupling.discrete[link];
        let value = self.component(from.0).slave.discrete(base_type, from.1);
        let value = value.and_then(|value| self.coupling.discrete[link].given(value));
        Ok(of!(self, from.0, value))
    }

    /// Looks for jumps in the step of `h` that two half steps have made; what they may do to each value that is measured
    /// joins the verdict.
    pub(super) fn look_for_jumps(
        &mut self,
        measures: &mut Measures,
        control: &Control,
        h: f64,
        verdict: &mut Verdict,
    ) -> Result<(), Error> {
        let mut jumps = std::mem::take(&mut measures.jumps);
        let found = self.find_jumps(&mut jumps, control);
        let tried = match found {
            Ok(()) if !jumps.is_empty() => self.try_jumps(&jumps, measures, h),
            found => found.map(|()| false),
        };
        measures.jumps = jumps;
        if tried? {
            let jumps = std::mem::take(&mut measures.jumps);
            self.split_jumps(&jumps, &mut measures.split);
            measures.jumps = jumps;
            measures.judge_jumps(control, verdict);
        }
        Ok(())
    }

    fn find_jumps(&mut self, jumps: &mut Jumps, control: &Control) -> Result<(), Error> {
        jumps.inputs.clear();
        jumps.links.clear();
        for (input, described) in self.coupling.inputs.iter().enumerate() {
            let Link::Output { output, gain, .. } = described.link else {
                continue;
            };
            let nominal = self.coupling.outputs[output].nominal;
            let noticed = gain.abs() * tolerated(control, nominal, self.values.y[output].abs());
            let [one, other] = [jumps.missed[0][input].abs(), jumps.missed[1][input].abs()];
            if one.max(other) > noticed + SMOOTH * one.min(other) {
                jumps.inputs.push(input);
            }
        }
        for link in 0..self.coupling.discrete.len() {
            let value = self.discrete_value(link)?;
            if jumps.discrete.get(link).is_some_and(|before| *before != value) {
                jumps.links.push((link, value));
            }
        }
        Ok(())
    }

    /// All components make the step once with what they had at its beginning, and once with values that jumped right
    /// there: the jump is somewhere between. Answers whether both came to their ends.
    fn try_jumps(&mut self, jumps: &Jumps, measures: &mut Measures, h: f64) -> Result<bool, Error> {
        self.save(AFTER)?;
        let mut without = std::mem::take(&mut measures.without);
        let mut with = std::mem::take(&mut measures.with);
        let tried = self.tried(None, measures, h, &mut without);
        let tried = match tried {
            Ok(true) => self.tried(Some(jumps), measures, h, &mut with),
            tried => tried,
        };
        (measures.without, measures.with) = (without, with);
        self.restore(AFTER)?;
        tried
    }

    fn tried(
        &mut self,
        jumps: Option<&Jumps>,
        measures: &Measures,
        h: f64,
        values: &mut [f64],
    ) -> Result<bool, Error> {
        self.restore(BEFORE)?;
        let curves = &mut self.scratch.curves;
        curves.start.copy_from_slice(&self.values.u);
        curves.first.fill(0.0);
        curves.second.fill(0.0);
        if let Some(jumps) = jumps {
            for &input in &jumps.inputs {
                curves.start[input] += jumps.missed_by(input);
            }
        }
        for (link, value) in jumps.iter().flat_map(|jumps| &jumps.links) {
            let to = self.coupling.discrete[*link].to;
            let set = self.component(to.0).slave.set_discrete(to.1, value);
            of!(self, to.0, set);
        }
        self.hold_stabilized();
        for component in 0..self.components.len() {
            if self.advance(component, h, false)? != Outcome::Done {
                return Ok(false);
            }
        }
        self.measure(measures, values)?;
        Ok(true)
    }

    /// Whether only values that jump have too large an error, by a smaller step that is taken back.
    pub(super) fn only_jumps(
        &mut self,
        measures: &mut Measures,
        control: &Control,
        h: f64,
        duration: f64,
    ) -> Result<bool, Error> {
        let h = 0.5 * h;
        let ended = self.twice(self.t + h, h, measures);
        let verdict = measures.judge(control, h, duration);
        self.restore(BEFORE)?;
        match ended {
            Err(error) if is_too_large(&error) => Ok(false),
            ended => Ok(ended? == Ended::Done && verdict.only_jumps),
        }
    }

    /// Inputs that have jumped in the last step begin anew: differences would reach over the jump.
    pub(super) fn forget_jumps(&mut self, jumps: &Jumps, h: f64) -> Result<(), Error> {
        let (_, before) = &self.scratch.saved[BEFORE];
        let mut found = false;
        for &input in &jumps.inputs {
            let missed = jumps.missed_by(input);
            let moved = self.values.u[input] - before.u[input];
            if self.plan.orders[input] > 0 && missed.abs() > 0.5 * moved.abs() {
                self.values.history.restart(input, true);
                found = true;
            }
        }
        match found {
            true => self.take_derivatives(h),
            false => Ok(()),
        }
    }
}
