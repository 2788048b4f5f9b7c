//! Whether the steps of a run do what the equations of the coupled system do: foreseen from a linear model where components
//! provide one, and otherwise watched by steps of half the size now and then.

use nalgebra::DMatrix;

use super::step::Ended;
use super::{Master, of};
use crate::advise::{Drift, Model, Stepping, drift};
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::{Algorithm, Correction, Snapshots};
use crate::slave::Capabilities;
use crate::solve::eigenvalues;
use crate::stabilize::Linear;
use crate::statistics::Statistics;

/// The place of snapshots for steps that are only compared.
const COMPARED: usize = 4;
/// Larger linear models take long to look at.
const LARGE: usize = 300;
/// Errors that add up to more than this part of an output are worth a warning.
const MUCH: f64 = 0.02;
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
    /// What the whole step led to, and its errors.
    whole: Vec<f64>,
    errors: Vec<f64>,
    /// Steps and evaluations of each component before the comparison.
    counted: Vec<(u64, u64)>,
    /// In place of those of the run while steps are compared.
    statistics: Statistics,
}

impl Master {
    /// Says before the first step what a linear model says about the run, or sees to it that it is watched.
    pub(super) fn foresee_accuracy(&mut self) -> Result<(), Error> {
        self.comparison = Comparison::default();
        self.notes.clear();
        let coupled = self.coupling.inputs.iter();
        let coupled = coupled
            .filter(|input| matches!(input.link, Link::Output { .. }))
            .count();
        // Error control measures errors itself.
        if coupled == 0 || self.settings.control.is_some() {
            return Ok(());
        }
        let stepping = self.stepping();
        let known = match stepping {
            Some(stepping) => self.linear_model(true)?.map(|model| (model, stepping)),
            None => None,
        };
        if let Some((model, stepping)) = known {
            let (step, duration) = (self.settings.step, self.duration());
            if let Some(found) = drift(&model, &stepping, step, duration) {
                let warning = self.drift_warning(&found, step);
                self.warnings.push(warning);
            }
            return Ok(());
        }
        let can_compare = (0..self.components.len()).all(|component| {
            let can = &self.component(component).can;
            can.snapshots && can.variable_step
        });
        match can_compare && self.settings.snapshots != Snapshots::Never {
            true => self.begin_comparison(),
            false => self.not_verified(),
        }
        Ok(())
    }

    fn not_verified(&mut self) {
        self.notes.push(
            "accuracy not verified: the FMUs provide neither a linear model nor snapshots and outputs from which the errors \
             of steps could be estimated; compare with a run of half the step"
                .to_owned(),
        );
    }

    fn duration(&self) -> f64 {
        self.settings.stop - self.settings.start
    }

    fn drift_warning(&mut self, found: &Drift, step: f64) -> String {
        let Drift {
            mode,
            exact,
            stepped,
            time,
        } = *found;
        let what = match mode {
            Some(mode) if mode.im != 0.0 => format!(
                "an oscillation of the coupled system (eigenvalue {:.3e} +- {:.3e} i, in 1/s)",
                mode.re,
                mode.im.abs()
            ),
            Some(mode) => format!("a mode of the coupled system (eigenvalue {:.3e} 1/s)", mode.re),
            None => "what is coupled, although no mode of the coupled system does so,".to_owned(),
        };
        // The logarithm of the difference is proportional to the step, nearly.
        let ratio = (stepped / exact).ln().abs();
        let smaller = match ratio.is_finite() && ratio > 0.0 && mode.is_some() {
            true => format!("a step of {:.1e}", step * (MUCH / ratio).min(0.5)),
            false => "a smaller step".to_owned(),
        };
        format!(
            "steps of {step} are not accurate over the whole run: with them {what} has {stepped:.3} times its size at the \
             start after {time:.4} s, and {exact:.3} times by the equations. Take {smaller}, {}",
            self.more_accurate()
        )
    }

    /// Ways to more accuracy that the components allow.
    fn more_accurate(&mut self) -> String {
        let can: Vec<Capabilities> = (0..self.components.len())
            .map(|component| self.component(component).can)
            .collect();
        let all = |has: fn(&Capabilities) -> bool| can.iter().all(has);
        let mut ways = Vec::new();
        if all(|can| can.snapshots && can.variable_step) {
            ways.push("error control ([control] tolerance)");
        }
        if self.settings.extrapolation == 0 && all(|can| can.input_derivatives > 0) {
            ways.push("extrapolation = 1");
        }
        if self.settings.algorithm != Algorithm::Stabilized && all(|can| can.states.is_some()) {
            ways.push("algorithm = \"stabilized\"");
        }
        match ways.is_empty() {
            true => "or compare with a run of half the step".to_owned(),
            false => format!("or {}", ways.join(", or ")),
        }
    }

    /// How inputs go through the steps of this run; none for algorithms that are more than that.
    pub(super) fn stepping(&self) -> Option<Stepping> {
        let settings = &self.settings;
        if settings.smoothing || matches!(settings.algorithm, Algorithm::Stabilized | Algorithm::Aggregate) {
            return None;
        }
        let mut place = vec![0; self.components.len()];
        let mut solved = vec![usize::MAX; self.components.len()];
        let mut at = 0;
        for (number, group) in self.plan.groups.iter().enumerate() {
            for unit in &group.units {
                let own = unit.components.len() > 1;
                for &component in &unit.components {
                    place[component] = at;
                    if group.cyclic && settings.algorithm.repeats() || own && unit.algorithm.repeats() {
                        solved[component] = number;
                    } else if own {
                        return None;
                    }
                    at += 1;
                }
            }
        }
        let structure = self.coupling.structure();
        let aimed = structure
            .inputs
            .iter()
            .zip(&structure.sources)
            .map(|(&owner, source)| {
                let Some(source) = source.map(|output| structure.outputs[output]) else {
                    return false;
                };
                let together = solved[owner] != usize::MAX && solved[owner] == solved[source];
                let together =
                    together && (!settings.algorithm.at_once() || self.plan.together(owner, source));
                together || !settings.algorithm.at_once() && place[source] < place[owner]
            });
        Some(Stepping {
            orders: self.plan.orders.clone(),
            told: self.plan.told.clone(),
            aimed: aimed.collect(),
            consistent: settings.correction != Correction::None || self.scratch.closes,
        })
    }

    /// A linear model of all components at the present time, as far as they can be asked. `careful`: only those are asked
    /// that the run could go on without, should they fail.
    pub(super) fn linear_model(&mut self, careful: bool) -> Result<Option<Model>, Error> {
        let (inputs, outputs) = (self.coupling.inputs.len(), self.coupling.outputs.len());
        if careful && inputs + outputs > LARGE {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for component in 0..self.components.len() {
            let one = self.component(component);
            let linear = match one.can.states.filter(|_| one.can.directional_derivatives) {
                Some(states) => {
                    self.set_inputs(component)?;
                    let one = self.component(component);
                    let mut linear = Linear::new(states, one.inputs.len(), one.outputs.len());
                    let told = one.slave.linearize(&mut linear);
                    of!(self, component, told);
                    linear
                }
                None if careful => return Ok(None),
                None => match one.slave.partials() {
                    Some(linear) => linear,
                    None => return Ok(None),
                },
            };
            parts.push(linear);
        }
        let states: usize = parts.iter().map(|linear| linear.a.nrows()).sum();
        if careful && states + inputs > LARGE {
            return Ok(None);
        }
        let mut model = Model {
            a: DMatrix::zeros(states, states),
            b: DMatrix::zeros(states, inputs),
            c: DMatrix::zeros(outputs, states),
            d: DMatrix::zeros(outputs, inputs),
            l: DMatrix::zeros(inputs, outputs),
        };
        let mut x = 0;
        for (component, linear) in parts.iter().enumerate() {
            let (n, m, p) = (linear.a.nrows(), linear.b.ncols(), linear.c.nrows());
            let (u, y) = (
                self.coupling.inputs_of(component).start,
                self.coupling.outputs_of(component).start,
            );
            model.a.view_mut((x, x), (n, n)).copy_from(&linear.a);
            model.b.view_mut((x, u), (n, m)).copy_from(&linear.b);
            model.c.view_mut((y, x), (p, n)).copy_from(&linear.c);
            model.d.view_mut((y, u), (p, m)).copy_from(&linear.d);
            x += n;
        }
        for (input, row) in self.coupling.inputs.iter().enumerate() {
            if let Link::Output { output, gain, .. } = row.link {
                model.l[(input, output)] = gain;
            }
        }
        Ok(Some(model))
    }

    fn begin_comparison(&mut self) {
        let mut outputs = Vec::new();
        for component in 0..self.components.len() {
            let discrete = self.component(component).slave.variables().discrete_outputs;
            let own = self.coupling.outputs_of(component).enumerate();
            outputs.extend(
                own.filter(|(own, _)| !discrete.contains(own))
                    .map(|(_, output)| output),
            );
        }
        self.comparison = Comparison {
            next: Some(0),
            sums: vec![0.0; outputs.len()],
            sizes: vec![0.0; outputs.len()],
            whole: vec![0.0; outputs.len()],
            errors: vec![0.0; outputs.len()],
            counted: vec![(0, 0); self.components.len()],
            statistics: self.statistics.clone(),
            outputs,
        };
    }

    /// Compares the step to come with two of half the size, if it is time for that.
    #[inline]
    pub(super) fn compare_halves(&mut self, h: f64) -> Result<(), Error> {
        match self.comparison.next {
            Some(next) if self.statistics.steps >= next => self.compare_now(h),
            _ => Ok(()),
        }
    }

    #[cold]
    fn compare_now(&mut self, h: f64) -> Result<(), Error> {
        let steps = self.statistics.steps;
        let whole_run = (self.duration() / self.settings.step).max(1.0);
        if !self.errors_of_a_step(h)? {
            if self.comparison.next.is_some() {
                self.comparison.next = Some(steps + 1);
            }
            return Ok(());
        }
        // After 0, 1, 2, 4, 8 steps and so on, and at least 16 times.
        let pause = steps.max(1).min((whole_run / 16.0).ceil() as u64);
        let comparison = &mut self.comparison;
        comparison.next = Some(steps + pause);
        for at in 0..comparison.outputs.len() {
            let error = comparison.errors[at];
            let output = comparison.outputs[at];
            let size = self.values.y[output].abs().max(comparison.whole[at].abs());
            comparison.sizes[at] = comparison.sizes[at].max(size);
            if error.is_finite() {
                comparison.sums[at] += error * (pause as f64).min(whole_run - steps as f64).max(0.0);
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
        // These steps are not counted.
        std::mem::swap(&mut self.statistics, &mut self.comparison.statistics);
        for component in 0..self.components.len() {
            let one = self.component(component);
            let counted = (one.steps, one.evaluations);
            self.comparison.counted[component] = counted;
        }
        let tried = self.try_halves(h);
        std::mem::swap(&mut self.statistics, &mut self.comparison.statistics);
        self.restore(COMPARED)?;
        for component in 0..self.components.len() {
            let counted = self.comparison.counted[component];
            let one = self.component(component);
            (one.steps, one.evaluations) = counted;
        }
        if let Err(error) = &tried {
            self.comparison.next = None;
            self.warnings.push(format!(
                "accuracy not verified: a step that is only compared fails: {error}"
            ));
        }
        Ok(tried.unwrap_or(false))
    }

    /// A step and, from where it began, two of half the size: twice the difference of what they lead to, which is the error
    /// of the whole step, at most.
    fn try_halves(&mut self, h: f64) -> Result<bool, Error> {
        if self.step(h, false)? != Ended::Done {
            return Ok(false);
        }
        for (whole, &output) in self.comparison.whole.iter_mut().zip(&self.comparison.outputs) {
            *whole = self.values.y[output];
        }
        self.restore(COMPARED)?;
        if self.step(0.5 * h, false)? != Ended::Done || self.step(0.5 * h, false)? != Ended::Done {
            return Ok(false);
        }
        let comparison = &mut self.comparison;
        let pairs = comparison.whole.iter().zip(&comparison.outputs);
        for (error, (whole, &output)) in comparison.errors.iter_mut().zip(pairs) {
            *error = 2.0 * (self.values.y[output] - whole).abs();
        }
        Ok(true)
    }

    /// Says after a run what the errors of its steps may add up to.
    pub(super) fn sum_up_comparison(&mut self) {
        let comparison = &self.comparison;
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
            let ways = self.more_accurate();
            self.warnings.push(format!(
                "steps of {} are not accurate over the whole run: compared with steps of half the size, errors of {name} add \
                 up to {:.1} % of its size where nothing damps them. Take a smaller step, {}",
                self.settings.step,
                100.0 * part,
                ways
            ));
        }
    }

    /// Whether values that grow by a factor from step to step do so by the equations of the system.
    pub(super) fn grows_by_itself(&mut self, factor: f64) -> Result<bool, Error> {
        let h = self.settings.step;
        if self.settings.control.is_some() {
            // The error of each step was small.
            return Ok(true);
        }
        if let Some(model) = self.linear_model(true)? {
            let modes = model.coupled().and_then(|coupled| eigenvalues(&coupled));
            let rate = modes
                .unwrap_or_default()
                .iter()
                .map(|mode| mode.re)
                .fold(0.0, f64::max);
            return Ok(rate > 0.0 && factor.ln() <= (1.0 + MUCH.sqrt()) * rate * h + 1e-6);
        }
        if self.comparison.next.is_none() {
            return Ok(false);
        }
        let before: Vec<f64> = self
            .comparison
            .outputs
            .iter()
            .map(|&y| self.values.y[y])
            .collect();
        if !self.errors_of_a_step(h)? {
            return Ok(false);
        }
        let changes = self.comparison.whole.iter().zip(&before);
        let mut meant = changes
            .zip(&self.comparison.errors)
            .map(|((after, before), error)| {
                *error <= AS_MEANT * (after - before).abs().max(1e-9 * after.abs())
            });
        Ok(meant.all(|meant| meant))
    }
}
