//! Jumps of coupled values inside a step: two half steps and a whole one may agree although all of them meet it too late.

use fmu_importer::Value;

use super::control::is_too_large;
use super::measure::{Measures, Verdict, tolerated};
use super::samples::Needs;
use super::step::{AFTER, BEFORE, Ended};
use super::{Master, of};
use crate::component::Outcome;
use crate::coupling::{DiscreteLink, Link};
use crate::error::Error;
use crate::settings::Control;

/// A smooth input goes as far from where it was extrapolated to in both halves of a step, within this factor.
const SMOOTH: f64 = 8.0;
/// An event that is so near to the end of a step, as a part of the step, is at its end.
const AT_END: f64 = 1e-9;
/// What is so long before the end of a step, as a part of the step, is before an event at its end.
const SHORTLY: f64 = 1e-6;

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
    /// Inputs that may trigger events in their component, fed by continuous outputs.
    triggers: Vec<usize>,
    /// Components with discrete outputs that feed others, or with inputs that they sample; and their next events, if known.
    events: Vec<(usize, Option<f64>)>,
    /// What Real discrete outputs that jump would be if they had sampled at the beginning of the step: by their inputs.
    sampled: Vec<f64>,
    /// Inputs, and discrete links with their new values, that jump.
    inputs: Vec<usize>,
    links: Vec<(usize, Value)>,
}

impl Jumps {
    /// Whether the next event of a component is known.
    pub fn knows_events_of(&self, component: usize) -> bool {
        let mut events = self.events.iter();
        events.any(|event| event.0 == component && event.1.is_some())
    }

    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.links.is_empty()
    }

    /// The next event of a component that is known.
    pub fn next_event(&self) -> f64 {
        let known = self.events.iter().filter_map(|event| event.1);
        known.fold(f64::INFINITY, f64::min)
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
        let known = |input: usize| self.state.values.history.known(input).0.saturating_sub(1) as u32;
        let order = |input: usize| match self.plan.from_source[input] {
            true => self.plan.orders[input],
            false => self.plan.orders[input].min(known(input)),
        };
        jumps.orders.extend((0..self.state.values.u.len()).map(order));
    }

    /// A half step of `h` begins.
    pub(super) fn expect(&self, jumps: &mut Jumps, h: f64) {
        jumps.expected.clear();
        let (u, du) = (&self.state.values.u, &self.state.values.du);
        for (input, &order) in jumps.orders.iter().enumerate() {
            let [first, second] = match order {
                _ if self.is_stabilized(input) => [0.0, 0.0],
                0 => [0.0, 0.0],
                order if order == self.plan.orders[input] => [du[0][input], du[1][input]],
                order => self.state.values.history.derivatives(order, input),
            };
            jumps.expected.push(u[input] + h * (first + 0.5 * h * second));
        }
    }

    /// A half step of `h` is done: the first one, or the second.
    pub(super) fn compare(&self, jumps: &mut Jumps, half: usize, h: f64) {
        let missed = &mut jumps.missed[half];
        missed.clear();
        let ends = self.state.values.u.iter().zip(&jumps.expected).enumerate();
        missed.extend(ends.map(|(input, (u, expected))| u - expected - self.modelled_change(input, h)));
    }

    /// How far an input that follows a linear model goes in a step of `h`, by that model as it was at the beginning of the step
    /// and without what its component receives meanwhile; 0 for other inputs.
    fn modelled_change(&self, input: usize, h: f64) -> f64 {
        let Link::Output { output, gain, .. } = self.coupling.inputs[input].link else {
            return 0.0;
        };
        let component = self.coupling.structure().outputs[output];
        let Some(Some(linear)) = self.memory.stabilized.linear.get(component) else {
            return 0.0;
        };
        if !self.is_stabilized(input) {
            return 0.0;
        }
        let output = output - self.coupling.outputs_of(component).start;
        let slopes = linear.c.row(output);
        let (first, second) = (slopes * &linear.dx, slopes * (&linear.a * &linear.dx));
        gain * h * (first[0] + 0.5 * h * second[0])
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

    /// Which components may jump by themselves.
    pub(super) fn find_event_sources(&self, jumps: &mut Jumps) {
        let all = self.event_sources();
        jumps.events = all.into_iter().map(|component| (component, None)).collect();
    }

    /// Which inputs may trigger events in their components.
    pub(super) fn find_triggers(&mut self, jumps: &mut Jumps) {
        jumps.triggers.clear();
        for input in 0..self.coupling.inputs.len() {
            let Link::Output { output, .. } = self.coupling.inputs[input].link else {
                continue;
            };
            let reader = self.coupling.structure().inputs[input];
            let is_continuous = self.plan.needs[input] == Needs::Curve && !self.plan.held.outputs[output];
            if is_continuous && self.place(reader).can.events_by_inputs {
                jumps.triggers.push(input);
            }
        }
    }

    /// Inputs that may trigger events stay within the tolerance of what they were extrapolated to, or the step is a small part
    /// of the run: neither values nor states show how late an event is that comes with the next step, or not at all.
    pub(super) fn judge_triggers(
        &self,
        measures: &Measures,
        control: &Control,
        h: f64,
        duration: f64,
        verdict: &mut Verdict,
    ) {
        let Jumps {
            triggers,
            missed,
            orders,
            ..
        } = &measures.jumps;
        if h <= control.minimum * (1.0 + 1e-9) {
            return;
        }
        for &input in triggers {
            let Link::Output { output, gain, .. } = self.coupling.inputs[input].link else {
                continue;
            };
            let nominal = self.coupling.outputs[output].nominal;
            let noticed = gain.abs() * tolerated(control, nominal, self.state.values.y[output].abs());
            let by_value = missed[0][input].abs().max(missed[1][input].abs()) / noticed;
            let by_time = h / (control.relative.max(control.absolute) * duration);
            let error = by_value.min(by_time);
            if error > verdict.error {
                verdict.error = error;
                verdict.power = match by_value < by_time {
                    true => f64::from(orders[input] + 1),
                    false => 1.0,
                };
                verdict.worst = measures.of_output(output).unwrap_or(verdict.worst);
            }
        }
    }

    /// Components that sample their inputs, or have discrete outputs that feed others.
    pub(super) fn event_sources(&self) -> Vec<usize> {
        let sources = &self.coupling.structure().outputs;
        let mut all = self.plan.samplers.clone();
        all.extend(self.coupling.discrete.iter().map(|link| link.from.0));
        for (row, needs) in self.coupling.inputs.iter().zip(&self.plan.needs) {
            if let (Link::Output { output, .. }, Needs::Beginning) = (&row.link, needs) {
                all.push(sources[*output]);
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The events that components know of after the present time.
    pub(super) fn note_events(&mut self, jumps: &mut Jumps) {
        let t = self.state.t;
        for (component, next) in &mut jumps.events {
            // An event at the present time, but for rounding, was met.
            let after = t + 16.0 * f64::EPSILON * t.abs();
            *next = self
                .place(*component)
                .component
                .next_event(t)
                .filter(|next| *next > after);
        }
    }

    /// The value of a discrete link, converted to the type of its input.
    pub(super) fn discrete_value(&mut self, link: usize) -> Result<Value, Error> {
        let DiscreteLink { base_type, from, .. } = self.coupling.discrete[link];
        let value = self.place(from.0).component.value(base_type, from.1);
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
        let found = found.and_then(|()| self.forget_events_at_the_end(&mut jumps, h));
        let tried = match found {
            Ok(()) if !jumps.is_empty() => self.try_jumps(&mut jumps, measures, h),
            found => found.map(|()| false),
        };
        measures.jumps = jumps;
        if tried? {
            let jumps = std::mem::take(&mut measures.jumps);
            self.split_jumps(&jumps, &mut measures.split);
            measures.jumps = jumps;
            measures.judge_jumps(control, verdict);
            self.judge_samples(measures, control, verdict);
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
            let noticed = gain.abs() * tolerated(control, nominal, self.state.values.y[output].abs());
            let [one, other] = [jumps.missed[0][input].abs(), jumps.missed[1][input].abs()];
            // A linear model that is wrong at first may be of something that settles; the halves show that.
            let least = if self.is_stabilized(input) {
                one
            } else {
                one.min(other)
            };
            if one.max(other) > noticed + SMOOTH * least {
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

    /// Jumps that come of an event at the very end of the step are met exactly, and act from there on. What the component would
    /// show without that event is tried, since it may have others inside of the step.
    fn forget_events_at_the_end(&mut self, jumps: &mut Jumps, h: f64) -> Result<(), Error> {
        let end = self.state.t;
        let mut exact: Vec<usize> = Vec::new();
        if !jumps.is_empty() {
            let at_end =
                |event: &&(usize, Option<f64>)| event.1.is_some_and(|due| (due - end).abs() <= AT_END * h);
            exact.extend(jumps.events.iter().filter(at_end).map(|event| event.0));
        }
        if exact.is_empty() {
            return Ok(());
        }
        self.save(AFTER)?;
        let kept = self.jump_before_events(jumps, &mut exact, h);
        self.restore(AFTER)?;
        kept?;
        let structure = self.coupling.structure();
        let met =
            |source: Option<usize>| source.is_some_and(|output| exact.contains(&structure.outputs[output]));
        jumps.inputs.retain(|&input| !met(structure.sources[input]));
        jumps
            .links
            .retain(|(link, _)| !exact.contains(&self.coupling.discrete[*link].from.0));
        Ok(())
    }

    /// Leaves only those components whose discrete outputs stay as they are until shortly before the end of the step.
    fn jump_before_events(&mut self, jumps: &Jumps, exact: &mut Vec<usize>, h: f64) -> Result<(), Error> {
        self.restore(BEFORE)?;
        self.hold_inputs();
        let mut stays = Vec::new();
        for &component in &*exact {
            let outputs = self.coupling.outputs_of(component);
            let before = self.state.values.y[outputs.clone()].to_vec();
            let mut same = self.advance(component, h * (1.0 - SHORTLY), false)? == Outcome::Done;
            for (output, before) in outputs.zip(before) {
                same &= !self.plan.held.outputs[output] || self.state.values.y[output] == before;
            }
            for link in self.plan.discrete_of(component) {
                same &= jumps.discrete.get(link) == Some(&self.discrete_value(link)?);
            }
            if same {
                stays.push(component);
            }
        }
        *exact = stays;
        Ok(())
    }

    /// All inputs stay as they are in the steps that are only tried.
    fn hold_inputs(&mut self) {
        let curves = &mut self.memory.extrapolation.curves;
        curves.start.copy_from_slice(&self.state.values.u);
        curves.first.fill(0.0);
        curves.second.fill(0.0);
    }

    /// A value that was sampled somewhere in the step stays for longer than the step: how much it depends on where joins the
    /// verdict.
    fn judge_samples(&self, measures: &Measures, control: &Control, verdict: &mut Verdict) {
        let Jumps { inputs, sampled, .. } = &measures.jumps;
        for (&input, &sampled) in inputs.iter().zip(sampled) {
            let Link::Output { output, gain, offset } = self.coupling.inputs[input].link else {
                continue;
            };
            if self.plan.needs[input] == Needs::Curve || !self.plan.held.outputs[output] {
                continue;
            }
            let value = gain * self.state.values.y[output] + offset;
            let nominal = gain.abs() * self.coupling.outputs[output].nominal;
            let error = (value - sampled).abs() / tolerated(control, nominal, value.abs());
            if error > verdict.error {
                (verdict.error, verdict.power) = (error, 1.0);
            }
        }
    }

    /// All components make the step once with what they had at its beginning, and once with values that jumped right
    /// there: the jump is somewhere between. Returns whether both were completed.
    fn try_jumps(&mut self, jumps: &mut Jumps, measures: &mut Measures, h: f64) -> Result<bool, Error> {
        self.save(AFTER)?;
        let mut without = std::mem::take(&mut measures.without);
        let mut with = std::mem::take(&mut measures.with);
        let tried = self.tried(None, measures, h, &mut without);
        jumps.sampled.clear();
        for &input in &jumps.inputs {
            jumps.sampled.push(match self.coupling.inputs[input].link {
                Link::Output { output, gain, offset } => gain * self.state.values.y[output] + offset,
                Link::Signal(_) | Link::Fixed(_) => f64::NAN,
            });
        }
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
        self.hold_inputs();
        if let Some(jumps) = jumps {
            for &input in &jumps.inputs {
                self.memory.extrapolation.curves.start[input] += jumps.missed_by(input);
            }
        }
        for (link, value) in jumps.iter().flat_map(|jumps| &jumps.links) {
            let to = self.coupling.discrete[*link].to;
            let set = self.place(to.0).component.set_value(to.1, value);
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
        let ended = self.twice(self.state.t + h, h, measures);
        let verdict = measures.judge(control, h, duration);
        self.restore(BEFORE)?;
        match ended {
            Err(error) if is_too_large(&error) => Ok(false),
            ended => Ok(ended? == Ended::Done && verdict.only_jumps),
        }
    }

    /// Histories of inputs that jumped in the last step restart: differences would extend across the jump.
    pub(super) fn forget_jumps(&mut self, jumps: &Jumps, h: f64) -> Result<(), Error> {
        let (_, before) = &self.memory.snapshots[BEFORE];
        let mut found = false;
        for &input in &jumps.inputs {
            let missed = jumps.missed_by(input);
            let moved = self.state.values.u[input] - before.u[input];
            if self.plan.orders[input] > 0 && missed.abs() > 0.5 * moved.abs() {
                self.state.values.history.restart(input, true);
                found = true;
            }
        }
        match found {
            true => self.take_derivatives(h),
            false => Ok(()),
        }
    }
}
