//! Whether steps reproduce the equations of the coupled system: foreseen from a linear model where components provide one,
//! and otherwise checked now and then by steps of half the size.

use nalgebra::DMatrix;

use super::compare::{COMPARED, Comparison, MUCH};
use super::samples::Needs;
use super::{Master, of};
use crate::advise::{Beginning, Drift, Miss, Model, Stepping, drift, largest_deviation};
use crate::component::Capabilities;
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};
use crate::solve::eigenvalues;
use crate::stabilize::Linear;

/// Larger linear models take long to look at.
const LARGE: usize = 300;

/// No better step is searched for in larger models.
const SMALL: usize = 60;
/// A step that was halved this many times is not proposed.
const HALVED: i32 = 14;

/// A step with which the run would be accurate.
fn accurate_step(
    model: &Model,
    stepping: &Stepping,
    step: f64,
    duration: f64,
    beginning: &Beginning,
) -> Option<f64> {
    if model.a.nrows() + model.b.ncols() > SMALL {
        return None;
    }
    let mut halves = (1..=HALVED).map(|times| step * 0.5_f64.powi(times));
    halves.find(|&h| {
        drift(model, stepping, h, duration).is_none()
            && largest_deviation(model, stepping, h, duration, beginning).is_none()
    })
}

impl Master {
    /// Says before the first step what a linear model says about the run, or sees to it that it is watched.
    pub(super) fn foresee_accuracy(&mut self) {
        self.memory.comparison = Comparison::default();
        let coupled = self.coupling.inputs.iter();
        let coupled = coupled
            .filter(|input| matches!(input.link, Link::Output { .. }))
            .count();
        let coupled = coupled + self.coupling.discrete.len();
        if coupled == 0 {
            return;
        }
        let discrete = self.has_discrete_links();
        if discrete && self.warn_of_samples() {
            return;
        }
        // Error control measures errors itself.
        if self.settings.control.is_some() {
            return;
        }
        if discrete && self.warn_of_missed_samples() {
            return;
        }
        let stepping = self.stepping();
        let mut failed = None;
        // Between events the loops of discrete links are open.
        let known = stepping.filter(|_| !discrete);
        let known = known.and_then(|stepping| match self.linear_model_and_slopes(true) {
            Ok(model) => model.map(|(model, slopes)| (model, slopes, stepping)),
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        if let Some((model, slopes, stepping)) = known {
            let beginning = Beginning {
                slopes,
                outputs: self.state.values.y.clone(),
                nominals: self
                    .coupling
                    .outputs
                    .iter()
                    .map(|output| output.nominal)
                    .collect(),
            };
            self.warn_of_steps(&model, &stepping, &beginning);
            return;
        }
        match (self.can_compare(), failed) {
            (true, None) => self.begin_comparison(),
            (true, Some(error)) => {
                self.notes.push(format!(
                    "the accuracy is estimated by steps of half the size, because the linear model fails: {error}"
                ));
                self.begin_comparison();
            }
            (false, None) => self.not_verified(),
            (false, Some(error)) => self.notes.push(format!(
                "accuracy not verified: the linear model fails, and steps cannot be repeated: {error}; compare with a run of \
                 half the step"
            )),
        }
    }

    /// A warning, if steps do not follow the linear model: its modes over the run, or its outputs from the start.
    fn warn_of_steps(&mut self, model: &Model, stepping: &Stepping, beginning: &Beginning) {
        let (step, duration) = (self.settings.step, self.duration());
        let missed = largest_deviation(model, stepping, step, duration, beginning);
        let drifts = drift(model, stepping, step, duration);
        // Growth that no mode of the system has is the worst.
        let size = drifts.map_or(0.0, |drift| drift.mode.map_or(f64::INFINITY, |_| drift.size()));
        let missed = missed.filter(|miss| miss.part > size);
        if missed.is_none() && drifts.is_none() {
            return;
        }
        let accurate = accurate_step(model, stepping, step, duration, beginning);
        let warning = match (missed, drifts) {
            (Some(miss), _) => self.miss_warning(&miss, step, accurate, model),
            (None, Some(drift)) => self.drift_warning(&drift, step, accurate),
            (None, None) => return,
        };
        self.warnings.push(warning);
    }

    fn miss_warning(&mut self, miss: &Miss, step: f64, accurate: Option<f64>, model: &Model) -> String {
        let name = self.coupling.outputs[miss.output].name.clone();
        let modes = model.coupled().and_then(|coupled| eigenvalues(&coupled));
        let fastest = modes
            .unwrap_or_default()
            .iter()
            .map(|mode| mode.im)
            .fold(0.0, f64::max);
        let period = match fastest > 0.0 {
            true => format!(
                " The fastest oscillation of the coupled system has a period of {:.3e} s.",
                std::f64::consts::TAU / fastest
            ),
            false => String::new(),
        };
        let smaller = accurate.map_or_else(
            || "a smaller step".to_owned(),
            |accurate| format!("a step of {accurate:.1e}"),
        );
        let follows = model.d.row(miss.output).iter().any(|d| *d != 0.0);
        let in_order = match self.settings.algorithm == Algorithm::Jacobi
            && follows
            && self.plan.loops.is_empty()
        {
            true => "algorithm = \"gauss-seidel\", under which outputs follow inputs without a delay, or ",
            false => "",
        };
        format!(
            "steps of {step} are not accurate over the whole run: by the linear model at the start, {name} is {:.4} after {:.4} s, and {:.4} by the \
             equations (an error of {:.0} %).{period} Take {in_order}{smaller}, {}",
            miss.stepped,
            miss.time,
            miss.exact,
            100.0 * miss.part,
            self.more_accurate()
        )
    }

    fn not_verified(&mut self) {
        self.notes.push(
            "accuracy not verified: not all FMUs provide derivatives (of a system that is not too large to look at) or \
             snapshots, from which the errors of steps could be estimated; compare with a run of half the step"
                .to_owned(),
        );
    }

    pub(super) fn duration(&self) -> f64 {
        self.settings.stop - self.settings.start
    }

    fn drift_warning(&mut self, found: &Drift, step: f64, accurate: Option<f64>) -> String {
        let Drift {
            mode,
            exact,
            stepped,
            phase,
            time,
        } = *found;
        let what = match mode {
            Some(mode) if mode.im != 0.0 => format!(
                "an oscillation of the coupled system (eigenvalue {:.3e} +- {:.3e} i, in 1/s) with a period of {:.3e} s{}",
                mode.re,
                mode.im.abs(),
                std::f64::consts::TAU / mode.im.abs(),
                if found.is_aliased(step) {
                    ", which is less than two steps,"
                } else {
                    ""
                },
            ),
            Some(mode) => format!("a mode of the coupled system (eigenvalue {:.3e} 1/s)", mode.re),
            None => "what is coupled, although no mode of the coupled system does so,".to_owned(),
        };
        let percent = 100.0 * found.size();
        let does = match found.of_amplitude() > MUCH {
            true => format!(
                "has {stepped:.3} times its size at the start after {time:.4} s, and {exact:.3} times by the equations (an \
                 error of {percent:.0} %)"
            ),
            false => format!(
                "is {:.3} radians {} the equations after {time:.4} s (an error of {percent:.0} %)",
                phase.abs(),
                if phase * mode.map_or(1.0, |mode| mode.im) < 0.0 {
                    "behind"
                } else {
                    "ahead of"
                }
            ),
        };
        let smaller = match accurate {
            Some(accurate) => format!("a step of {accurate:.1e}"),
            None => "a smaller step".to_owned(),
        };
        format!(
            "steps of {step} are not accurate over the whole run: with them {what} {does}. Take {smaller}, {}",
            self.more_accurate()
        )
    }

    /// Ways to more accuracy that the components allow.
    pub(super) fn more_accurate(&mut self) -> String {
        let can: Vec<Capabilities> = (0..self.components.len())
            .map(|component| self.place(component).can)
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

    /// How inputs are extrapolated in the steps of this run; `None` for algorithms that do more.
    pub(super) fn stepping(&self) -> Option<Stepping> {
        let settings = &self.settings;
        if settings.smoothing || settings.algorithm == Algorithm::Stabilized {
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
        let aimed = aimed
            .zip(&self.plan.needs)
            .map(|(aimed, needs)| aimed && *needs != Needs::Beginning);
        Some(Stepping {
            orders: self.plan.orders.clone(),
            from_source: self.plan.from_source.clone(),
            aimed: aimed.collect(),
            consistent: settings.correction != Correction::None || self.plan.closes,
        })
    }

    /// A linear model of all components at the present time, if all can be asked. `careful`: not where it takes long.
    pub(super) fn linear_model(&mut self, careful: bool) -> Result<Option<Model>, Error> {
        let found = self.linear_model_and_slopes(careful)?;
        Ok(found.map(|(model, _)| model))
    }

    /// The linear model, and the derivatives of all states; those of a component that does not provide them are 0.
    fn linear_model_and_slopes(&mut self, careful: bool) -> Result<Option<(Model, Vec<f64>)>, Error> {
        let (inputs, outputs) = (self.coupling.inputs.len(), self.coupling.outputs.len());
        if careful && inputs + outputs > LARGE {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for component in 0..self.components.len() {
            let states = self.place(component).can.states;
            let linear = match states {
                Some(states) => {
                    self.set_inputs(component)?;
                    // After an error an FMU goes on from a snapshot only.
                    let saves = self.place(component).can.cheap_snapshots;
                    if saves {
                        self.save_one(component, COMPARED)?;
                    }
                    let one = self.place(component);
                    let mut linear = Linear::new(states, one.inputs.len(), one.outputs.len());
                    let linearized = one.component.linearize(&mut linear);
                    if linearized.is_err() && saves {
                        self.restore_one(component, COMPARED)?;
                    }
                    of!(self, component, linearized);
                    linear
                }
                // A second instance answers for the start only.
                None if self.state.t != self.settings.start => return Ok(None),
                None => match self.place(component).component.linear_at_start(!careful) {
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
        let slopes = parts.iter().flat_map(|linear| linear.dx.iter().copied());
        Ok(Some((model, slopes.collect())))
    }

    /// Whether values that grow by a factor from step to step do so by the equations of the system.
    pub(super) fn grows_by_itself(&mut self, factor: f64) -> Result<bool, Error> {
        let h = self.settings.step;
        if self.settings.control.is_some() {
            // The error of each step was small.
            return Ok(true);
        }
        if let Ok(Some(model)) = self.linear_model(true) {
            let modes = model.coupled().and_then(|coupled| eigenvalues(&coupled));
            let rate = modes
                .unwrap_or_default()
                .iter()
                .map(|mode| mode.re)
                .fold(0.0, f64::max);
            return Ok(rate > 0.0 && factor.ln() <= (1.0 + MUCH.sqrt()) * rate * h + 1e-6);
        }
        self.changes_as_meant(h)
    }
}
