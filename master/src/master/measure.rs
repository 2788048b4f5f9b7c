//! What error control measures: all continuous outputs, and the states that components let be read.

use std::ops::Range;

use super::accuracy::Accuracy;
use super::jumps::Jumps;
use super::split::Split;
use super::{Master, of};
use crate::error::Error;
use crate::settings::{Control, Norm, Per};

/// An output whose error behaves like that of its inputs in this many consecutive tries is treated as one that
/// follows its inputs at once.
const OFTEN: u32 = 3;
/// The errors of two tries are compared only if the step shrank by at least this factor.
const SMALLER: f64 = 0.8;

/// As many roundings as a step of a component may add up to, in units of the last digit.
const ROUNDINGS: f64 = 64.0;

/// One value that is measured.
#[derive(Clone, Debug)]
struct Measure {
    name: String,
    component: usize,
    nominal: f64,
    kind: Kind,
    /// The sum of the absolute values of the errors of all steps, the largest that it ever was, and the largest value.
    sum: f64,
    accumulated: f64,
    largest: f64,
}

/// What becomes of an error of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It stays in the states.
    Accumulates,
    /// The value follows inputs at once, and its error goes with theirs.
    Follows,
    /// Both, in parts that are known: the component reports its feed-through.
    Split,
    /// It may follow inputs: the number of consecutive tries in which it did.
    Unclear(u32),
}

/// Everything that is measured, and the values of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Measures {
    list: Vec<Measure>,
    /// Outputs, by their numbers; their measures come first.
    outputs: Vec<usize>,
    /// States of components: where they are among the values.
    states: Vec<(usize, Range<usize>)>,
    /// The measures of outputs that feed inputs.
    coupled: Vec<usize>,
    pub before: Vec<f64>,
    pub coarse: Vec<f64>,
    pub fine: Vec<f64>,
    /// Estimated errors, and these by what is tolerated.
    errors: Vec<f64>,
    relative: Vec<f64>,
    /// The relative errors of the last try from the same time, and its size; 0 if there was none.
    tried: (f64, Vec<f64>),
    pub accuracies: Vec<Accuracy>,
    pub jumps: Jumps,
    pub split: Split,
    /// Values at the end of the step without and with jumps at its beginning.
    pub without: Vec<f64>,
    pub with: Vec<f64>,
    /// The order of extrapolation that was asked for.
    asked: f64,
}

/// The error of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// By what is tolerated: up to 1 is accepted.
    pub error: f64,
    /// The measure with the largest error.
    pub worst: usize,
    /// The power of the step with which this error falls.
    pub power: f64,
    /// Some value jumps: its error does not fall with the step as that of a smooth one.
    pub jump: bool,
    /// Only values that jump have too large an error.
    pub only_jumps: bool,
}

impl Measures {
    pub fn new(master: &mut Master) -> Measures {
        let mut measures = Measures {
            asked: f64::from(master.settings.extrapolation),
            ..Measures::default()
        };
        let structure = master.coupling.structure().clone();
        let variables: Vec<_> = (0..master.components.len())
            .map(|component| master.place(component).component.variables())
            .collect();
        for (component, variables) in variables.iter().enumerate() {
            let shows_states = !variables.states.is_empty();
            for (own, output) in master.coupling.outputs_of(component).enumerate() {
                if variables.discrete_outputs.contains(&own) {
                    continue;
                }
                let through = !structure.feed_through[output].is_empty();
                let kind = match through && variables.state_of_output(own).is_none() {
                    false => Kind::Accumulates,
                    // The accumulating part of its error is seen in the states.
                    true if shows_states => Kind::Follows,
                    true if master.can_split(component) => Kind::Split,
                    true => Kind::Unclear(0),
                };
                if kind == Kind::Split {
                    measures.split.add(component, measures.list.len(), output);
                }
                let described = &master.coupling.outputs[output];
                if !master.plan.fed_by(output).is_empty() {
                    measures.coupled.push(measures.list.len());
                }
                measures.outputs.push(output);
                measures.add(described.name.clone(), component, described.nominal, kind);
            }
        }
        if measures.coupled.is_empty() {
            measures.coupled = (0..measures.list.len()).collect();
        }
        for (component, variables) in variables.into_iter().enumerate() {
            let first = measures.list.len();
            for state in variables.inner_states() {
                let name = format!("{}.{}", master.coupling.components[component], state.name);
                measures.add(name, component, state.nominal, Kind::Accumulates);
            }
            if measures.list.len() > first {
                measures.states.push((component, first..measures.list.len()));
            }
        }
        let count = measures.list.len();
        let values = [
            &mut measures.before,
            &mut measures.coarse,
            &mut measures.fine,
            &mut measures.errors,
            &mut measures.relative,
            &mut measures.tried.1,
            &mut measures.without,
            &mut measures.with,
        ];
        values.into_iter().for_each(|values| values.resize(count, 0.0));
        measures
    }

    fn add(&mut self, name: String, component: usize, nominal: f64, kind: Kind) {
        self.list.push(Measure {
            name,
            component,
            nominal: nominal.abs(),
            kind,
            sum: 0.0,
            accumulated: 0.0,
            largest: 0.0,
        });
    }

    /// The feed-through of a component cannot be asked for: of its outputs nothing is known.
    pub fn unsplit(&mut self, component: usize) {
        for measure in &mut self.list {
            if measure.component == component && measure.kind == Kind::Split {
                measure.kind = Kind::Unclear(0);
            }
        }
        self.split.remove(component);
    }

    /// The measure of an output.
    pub fn of_output(&self, output: usize) -> Option<usize> {
        self.outputs.iter().position(|measured| *measured == output)
    }

    /// Whether the error of a value, with what jumps do to it, is no more than roundings leave in a value of this size.
    pub fn is_rounding(&self, at: usize) -> bool {
        let Some(measure) = self.list.get(at) else {
            return false;
        };
        let followed = self.accuracies[measure.component].share * self.split.part(at);
        let value = self.fine[at].abs().max(self.before[at].abs());
        self.errors[at].abs() + followed.abs() <= ROUNDINGS * f64::EPSILON * value
    }

    pub fn name(&self, measure: usize) -> &str {
        self.list
            .get(measure)
            .map_or("no variable", |measure| &measure.name)
    }

    /// The next tries are from another time.
    pub fn begin(&mut self) {
        self.tried.0 = 0.0;
        std::mem::swap(&mut self.before, &mut self.fine);
    }

    /// This try was not accepted; the next one is compared with it.
    pub fn reject(&mut self, h: f64) {
        self.classify(h);
        // One of nearly the same size would say nothing: the larger one is kept.
        if self.tried.0 == 0.0 || h <= SMALLER * self.tried.0 {
            self.tried.0 = h;
            std::mem::swap(&mut self.tried.1, &mut self.relative);
        }
    }

    /// The error of a step of `h`, in a run of `duration`.
    pub fn judge(&mut self, control: &Control, h: f64, duration: f64) -> Verdict {
        let mut verdict = Verdict {
            error: 0.0,
            worst: 0,
            power: 1.0,
            jump: false,
            only_jumps: true,
        };
        for at in 0..self.list.len() {
            let measure = &self.list[at];
            let (fine, before) = (self.fine[at], self.before[at]);
            let tolerated = tolerated(control, measure.nominal, fine.abs().max(before.abs()));
            let accuracy = self.accuracies[measure.component];
            let order = f64::from(accuracy.order);
            let followed = accuracy.share * self.split.part(at);
            self.errors[at] = accuracy.share * (fine - self.coarse[at]) - followed;
            let relative = match self.errors[at].abs() / tolerated {
                number if number.is_nan() => f64::INFINITY,
                number => number,
            };
            self.relative[at] = relative;
            if control.norm == Norm::RootMeanSquare {
                continue;
            }
            if followed.abs() > verdict.error * tolerated {
                (verdict.error, verdict.worst) = (followed.abs() / tolerated, at);
                verdict.power = order + 1.0;
                verdict.only_jumps &= verdict.error <= 1.0;
            }
            // An error that accumulates falls with h^(order + 2), one that follows inputs with h^(order + 1), and one
            // that comes of a jump with h at most.
            let slow = self.falls(at, h).is_some_and(|power| power < order + 1.5);
            let accumulates = match measure.kind {
                Kind::Accumulates | Kind::Split => true,
                Kind::Follows => false,
                Kind::Unclear(seen) => seen < OFTEN && !slow,
            };
            let spread = control.per == Per::UnitStep && accumulates && !(slow && relative <= 1.0);
            let error = if spread { relative * duration / h } else { relative };
            let large = match measure.kind {
                Kind::Unclear(_) => relative,
                _ => relative * duration / h,
            };
            verdict.jump |= slow && large > 1.0;
            verdict.only_jumps &= slow || error <= 1.0;
            if error > verdict.error {
                let power = if spread || !accumulates {
                    order + 1.0
                } else {
                    order + 2.0
                };
                (verdict.error, verdict.worst, verdict.power) = (error, at, power);
            }
        }
        match control.norm {
            Norm::Maximum => verdict,
            Norm::RootMeanSquare => self.mean(control, h, duration),
        }
    }

    /// The root of the mean square over the outputs that feed inputs, with the order that was asked for: the estimate
    /// that published step counts were found with.
    fn mean(&self, control: &Control, h: f64, duration: f64) -> Verdict {
        let share = 1.0 / ((self.asked + 1.0).exp2() - 1.0);
        let (mut sum, mut worst) = (0.0, (0.0, 0));
        for &at in &self.coupled {
            let (fine, before) = (self.fine[at], self.before[at]);
            let tolerated = tolerated(control, self.list[at].nominal, fine.abs().max(before.abs()));
            let error = share * (fine - self.coarse[at]) / tolerated;
            sum += error * error;
            if error.is_nan() || error.abs() > worst.0 {
                worst = (error.abs(), at);
            }
        }
        let mean = (sum / self.coupled.len().max(1) as f64).sqrt();
        let mean = if mean.is_nan() { f64::INFINITY } else { mean };
        let worst = worst.1;
        let jump = self.falls(worst, h).is_some_and(|power| power < self.asked + 1.5);
        let (error, power) = match control.per {
            Per::UnitStep => (mean * duration / h, self.asked + 1.0),
            Per::Step => (mean, self.asked + 2.0),
        };
        Verdict {
            error,
            worst,
            power,
            jump,
            only_jumps: jump,
        }
    }

    /// What jumps in the step may do to values joins the verdict: it falls in proportion to the step.
    pub fn judge_jumps(&mut self, control: &Control, verdict: &mut Verdict) {
        for at in 0..self.list.len() {
            let measure = &self.list[at];
            if matches!(measure.kind, Kind::Follows | Kind::Unclear(OFTEN..)) {
                continue;
            }
            let error = self.with[at] - self.without[at] - self.split.jump(at);
            let value = self.fine[at].abs().max(self.before[at].abs());
            let relative = error.abs() / tolerated(control, measure.nominal, value);
            self.errors[at] += error;
            if relative > verdict.error || relative.is_nan() {
                (verdict.error, verdict.worst, verdict.power) = (relative, at, 1.0);
            }
        }
        verdict.jump = true;
        verdict.only_jumps = true;
    }

    /// The power of the step with which an error has fallen since the last try, if there was one.
    fn falls(&self, at: usize, h: f64) -> Option<f64> {
        let (tried, before) = (self.tried.0, self.tried.1.get(at)?);
        let now = self.relative[at];
        if h > SMALLER * tried || !before.is_finite() || now == 0.0 {
            return None;
        }
        Some((before / now).ln() / (tried / h).ln())
    }

    /// Looks at how the errors of unclear values have fallen since the last try.
    fn classify(&mut self, h: f64) {
        for at in 0..self.list.len() {
            let Kind::Unclear(seen) = self.list[at].kind else {
                continue;
            };
            let Some(power) = self.falls(at, h) else { continue };
            let order = f64::from(self.accuracies[self.list[at].component].order);
            self.list[at].kind = Kind::Unclear(match power < order + 1.5 {
                true => (seen + 1).min(OFTEN),
                false if seen < OFTEN => 0,
                false => seen,
            });
        }
    }

    /// Counts the errors of a step that is accepted.
    pub fn accept(&mut self, h: f64) {
        self.classify(h);
        for at in 0..self.list.len() {
            let measure = &mut self.list[at];
            let follows = matches!(measure.kind, Kind::Follows | Kind::Unclear(OFTEN..));
            measure.sum = if follows { 0.0 } else { measure.sum } + self.errors[at].abs();
            let followed = self.accuracies[measure.component].share * self.split.part(at);
            measure.accumulated = measure.accumulated.max(measure.sum + followed.abs());
            measure.largest = measure.largest.max(self.fine[at].abs());
        }
    }

    /// The largest sum of estimated errors, by what is tolerated, and the variable that has it.
    pub fn accumulated(&self, control: &Control) -> (f64, &str) {
        let mut worst = (0.0, "");
        for measure in &self.list {
            let tolerated = tolerated(control, measure.nominal, measure.largest);
            if measure.accumulated > worst.0 * tolerated {
                worst = (measure.accumulated / tolerated, measure.name.as_str());
            }
        }
        worst
    }
}

/// What is tolerated of a value.
pub(super) fn tolerated(control: &Control, nominal: f64, value: f64) -> f64 {
    (control.absolute * nominal + control.relative * value).max(f64::MIN_POSITIVE)
}

impl Master {
    /// Reads what is measured at the present time.
    pub(super) fn measure(&mut self, measures: &Measures, values: &mut [f64]) -> Result<(), Error> {
        for (value, &output) in values.iter_mut().zip(&measures.outputs) {
            *value = self.state.values.y[output];
        }
        for (component, range) in &measures.states {
            let read = self
                .place(*component)
                .component
                .inner_states(&mut values[range.clone()]);
            of!(self, *component, read);
        }
        Ok(())
    }
}
