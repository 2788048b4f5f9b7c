//! The master: components, their coupling, and the time that they have reached together.

mod accuracy;
mod advise;
mod algebra;
mod compare;
mod control;
mod corners;
mod correct;
mod curves;
mod forecast;
mod gauss_seidel;
mod growth;
mod initialize;
mod jacobi;
mod jumps;
mod knots;
mod measure;
mod newton;
mod place;
mod plain;
mod plan;
mod prospects;
mod run;
mod samples;
mod split;
mod stabilized;
mod step;
mod stopped;

use std::sync::{Mutex, PoisonError};

use crate::again::Remedy;
use crate::component::{Capabilities, Component, ComponentError, RefusedDerivatives, Stepping};
use crate::coupling::Coupling;
use crate::error::Error;
use crate::history::History;
use crate::settings::{Algorithm, Correction, Settings};
use crate::signals::Signals;
use crate::statistics::Statistics;
use compare::Comparison;
use corners::Corners;
use curves::Curves;
use growth::Growth;
use place::Place;
use plan::Plan;
use samples::Discrete;
use stabilized::Stabilized;

/// Components that are simulated together.
pub struct Master {
    coupling: Coupling,
    components: Vec<Mutex<Place>>,
    /// What each can do.
    can: Vec<Capabilities>,
    /// Loops with algorithms of their own.
    loops: Vec<(Vec<usize>, Algorithm)>,
    signals: Signals,
    corners: Corners,
    settings: Settings,
    plan: Plan,
    t: f64,
    values: Values,
    scratch: Scratch,
    growth: Growth,
    comparison: Comparison,
    stabilized: Stabilized,
    /// What counts as no change in loops and iterations of the present step.
    convergence: f64,
    statistics: Statistics,
    /// The estimated error of the last step, by what is tolerated.
    step_error: f64,
    warnings: Vec<String>,
    notes: Vec<String>,
    /// What would have led to a better end.
    remedy: Option<Remedy>,
}

/// The values between the components at the time that is reached: what a repeated step must find again.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Outputs.
    y: Vec<f64>,
    /// Inputs.
    u: Vec<f64>,
    /// Derivatives of the inputs, of first and second order, for the step to come.
    du: [Vec<f64>; 2],
    history: History,
    /// Where the inputs of the last step have ended, for smoothing and correction.
    end: Vec<f64>,
    /// There was a last step.
    smooth: bool,
}

impl Values {
    /// Takes over others without new memory.
    fn copy_from(&mut self, other: &Values) {
        self.y.copy_from_slice(&other.y);
        self.u.copy_from_slice(&other.u);
        for (du, other) in self.du.iter_mut().zip(&other.du) {
            du.copy_from_slice(other);
        }
        self.history.copy_from(&other.history);
        self.end.copy_from_slice(&other.end);
        self.smooth = other.smooth;
    }
}

/// Room for what a step computes on the way.
#[derive(Debug, Default)]
struct Scratch {
    y: Vec<f64>,
    dy: Vec<f64>,
    end: Vec<f64>,
    signals: Vec<f64>,
    curves: Curves,
    /// The curves that inputs have followed in the last step, where smoothing or a correction asks for them: those of a
    /// component that has stepped may be for its next try already.
    used: Curves,
    keeps_used: bool,
    /// Outputs whose values belong to the present time.
    known: Vec<bool>,
    /// Values at the places of snapshots.
    saved: Vec<(f64, Values)>,
    with_feed_through: Vec<usize>,
    /// Outputs and inputs are solved for each other after each step, although no correction is asked for.
    closes: bool,
    /// All components tell outputs for new inputs.
    follows: bool,
    longest_first: Vec<usize>,
    all_alone: bool,
    /// All that is asked for are plain steps.
    plain: bool,
    /// How the last plain step ended, if not at its end.
    not_done: Option<Result<step::Ended, Error>>,
    /// Snapshots are taken before each step, because a component may discard it.
    saves: bool,
    /// For how many steps one of these snapshots serves, and the steps since the last one: ends and sizes.
    stretch: usize,
    replay: Vec<(f64, f64)>,
    parallel_pays: bool,
    look_again: u64,
    /// The number of steps after which feed-through around loops is looked at again.
    look_at_loops: u64,
}

impl Master {
    /// Couples components, which have been made, but not initialized.
    ///
    pub fn new(
        coupling: Coupling,
        components: Vec<Box<dyn Component>>,
        signals: Signals,
        settings: Settings,
    ) -> Result<Master, Error> {
        Master::with_loops(coupling, components, signals, settings, &[])
    }

    /// The same, where some loops of components have algorithms of their own.
    ///
    pub fn with_loops(
        coupling: Coupling,
        components: Vec<Box<dyn Component>>,
        signals: Signals,
        settings: Settings,
        loops: &[(Vec<usize>, Algorithm)],
    ) -> Result<Master, Error> {
        let steppers = steppers(&coupling, components)?;
        let (inputs, outputs) = (coupling.inputs.len(), coupling.outputs.len());
        let can: Vec<Capabilities> = steppers.iter().map(|one| one.capabilities()).collect();
        let mut warnings = Vec::new();
        check_capabilities(&coupling, &can, &settings, loops, &mut warnings)?;
        if signals.is_sloping() && settings.extrapolation == 0 && settings.algorithm != Algorithm::Stabilized
        {
            warnings.push(HELD.to_owned());
        }
        let mut held = Discrete::new(&coupling);
        for (component, one) in steppers.iter().enumerate() {
            held.add(&coupling, component, &one.variables());
        }
        let plan = Plan::new(&coupling, &can, &settings, loops, held);
        let one_size = can.iter().position(|can| !can.variable_step);
        let one_size = one_size.map(|component| coupling.components[component].as_str());
        let corners = Corners::new(&coupling, &signals, &settings, one_size, &mut warnings);
        warnings.extend(one_size.and_then(|component| last_step(component, &settings)));
        let place = |(number, one)| {
            let (inputs, outputs) = (coupling.inputs_of(number), coupling.outputs_of(number));
            Mutex::new(Place::new(one, inputs, outputs, settings.extrapolation))
        };
        let components: Vec<Mutex<Place>> = steppers.into_iter().enumerate().map(place).collect();
        let feeds_through = |component: &usize| {
            let mut outputs = coupling.outputs_of(*component);
            outputs.any(|output| !coupling.structure().feed_through[output].is_empty())
        };
        let mut master = Master {
            values: Values {
                y: vec![0.0; outputs],
                u: vec![0.0; inputs],
                du: [vec![0.0; inputs], vec![0.0; inputs]],
                history: History::new(inputs).quadratic(settings.quadratic),
                end: vec![0.0; inputs],
                smooth: false,
            },
            scratch: Scratch {
                y: vec![0.0; outputs],
                dy: vec![0.0; outputs],
                end: vec![0.0; inputs],
                signals: vec![0.0; signals.len()],
                curves: Curves::new(inputs),
                used: Curves::new(inputs),
                keeps_used: settings.smoothing || settings.correction == Correction::Linear,
                known: vec![false; outputs],
                with_feed_through: (0..components.len()).filter(feeds_through).collect(),
                longest_first: plan.at_once(),
                all_alone: plan.all_alone(),
                saves: stopped::saves(&can, settings.algorithm.repeats(), settings.snapshots),
                stretch: stopped::stretch(&can, &settings, loops.is_empty()),
                replay: Vec::with_capacity(stopped::stretch(&can, &settings, loops.is_empty())),
                closes: settings.algorithm == Algorithm::Stabilized
                    && can.iter().all(|can| can.outputs_follow_inputs),
                follows: can.iter().all(|can| can.outputs_follow_inputs),
                ..Scratch::default()
            },
            corners,
            can,
            loops: loops.to_vec(),
            remedy: None,
            statistics: Statistics::new(&coupling.components),
            growth: Growth::default(),
            step_error: 0.0,
            comparison: Comparison::default(),
            stabilized: Stabilized::default(),
            convergence: settings.convergence,
            t: settings.start,
            coupling,
            components,
            signals,
            settings,
            plan,
            warnings,
            notes: Vec::new(),
        };
        master.scratch.plain = master.is_plain();
        master.statistics.loops = (0..master.plan.loops.len())
            .map(|number| {
                let knot = &master.plan.loops[number];
                crate::statistics::LoopStatistics {
                    variables: master.loop_names(&knot.outputs, &knot.inputs),
                    ..Default::default()
                }
            })
            .collect();
        Ok(master)
    }

    /// The estimated error of the last step as a part of the tolerated one; 0 without error control.
    pub fn step_error(&self) -> f64 {
        self.step_error
    }

    /// The weights of the newest values of an input by differences in its value a step later, for equal steps, the newest
    /// first; none where its source provides derivatives, or where it comes from outside.
    pub fn extrapolation_weights(&self, input: usize) -> Option<&'static [f64]> {
        let fed = self.coupling.structure().sources[input].is_some();
        let by_differences = fed && (self.plan.orders[input] == 0 || !self.plan.told[input]);
        by_differences.then(|| self.settings.quadratic.weights(self.plan.orders[input]))
    }

    /// The time that is reached.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// How it is simulated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All outputs that take part in the coupling, in the order of [`Coupling::outputs`].
    pub fn outputs(&self) -> &[f64] {
        &self.values.y
    }

    /// All inputs that take part in the coupling, in the order of [`Coupling::inputs`].
    pub fn inputs(&self) -> &[f64] {
        &self.values.u
    }

    /// Who is coupled to whom.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What a person should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What a person may want to know, and need not do anything about.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A component, for what is beyond coupling.
    pub fn component(&mut self, component: usize) -> &mut dyn Stepping {
        &mut *self.place(component).component
    }

    /// What would help a run that starts again, after one whose results end too early.
    pub(crate) fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }

    /// Frees all components, before new ones take their places: some FMUs allow one instance only.
    pub(crate) fn dismiss(&mut self) {
        self.components.clear();
    }

    /// Takes new components in place of those that were dismissed, to start again.
    pub(crate) fn start_again(
        &mut self,
        components: Vec<Box<dyn Component>>,
        remedy: &Remedy,
    ) -> Result<(), Error> {
        let mut settings = self.settings;
        remedy.apply(&mut settings);
        let restarts = self.statistics.restarts + 1;
        let (coupling, signals) = (
            std::mem::take(&mut self.coupling),
            std::mem::take(&mut self.signals),
        );
        let loops = std::mem::take(&mut self.loops);
        *self = Master::with_loops(coupling, components, signals, settings, &loops)?;
        self.statistics.restarts = restarts;
        Ok(())
    }

    /// Ends the simulation of all components.
    pub fn terminate(&mut self) -> Result<(), Error> {
        for component in 0..self.components.len() {
            let ended = self.place(component).component.terminate();
            of!(self, component, ended);
        }
        Ok(())
    }

    #[inline]
    fn place(&mut self, component: usize) -> &mut Place {
        self.components[component]
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what components have counted.
    fn count(&mut self) {
        for number in 0..self.components.len() {
            let one = self.place(number);
            let (steps, evaluations, time) = (one.steps, one.evaluations, one.clock.total());
            let warned = one.component.warned();
            let counted = &mut self.statistics.components[number];
            (counted.steps, counted.output_evaluations, counted.time) = (steps, evaluations, time);
            counted.warned = warned;
            if warned > 0 && counted.first_warning.is_none() {
                let first = self.place(number).component.first_warning().map(str::to_owned);
                self.statistics.components[number].first_warning = first;
            }
        }
    }

    #[cold]
    fn component_error(&self, component: usize, source: ComponentError) -> Error {
        if let Some(refused) = source.downcast_ref::<RefusedDerivatives>() {
            let order = refused.order.saturating_sub(1);
            return Error::InputDerivatives {
                component: self.coupling.components[component].clone(),
                time: self.t,
                source,
                remedy: Remedy::InputOrder { component, order },
            };
        }
        Error::Component {
            component: self.coupling.components[component].clone(),
            time: self.t,
            source,
        }
    }
}

/// What is said about inputs that are lines, and are not followed.
const HELD: &str = "inputs from outside that change between their points are held over each step: extrapolation = 1 follows \
                    them";

/// All components as ones that step.
fn steppers(
    coupling: &Coupling,
    components: Vec<Box<dyn Component>>,
) -> Result<Vec<Box<dyn Stepping>>, Error> {
    if coupling.components.len() != components.len() {
        return Err(Error::Settings(format!(
            "the coupling names {} components, and there are {}",
            coupling.components.len(),
            components.len()
        )));
    }
    let names = coupling.components.iter();
    let stepping = names.zip(components).map(|(name, component)| {
        component.into_stepping().ok_or_else(|| {
            Error::Settings(format!(
                "{name} makes no communication steps: it can be aggregated only"
            ))
        })
    });
    stepping.collect()
}

/// What is said about a last step that is shorter than a component takes.
fn last_step(component: &str, settings: &Settings) -> Option<String> {
    let (span, step) = (settings.stop - settings.start, settings.step);
    let steps = span / step;
    let last = span - (steps - 1e-9).floor() * step;
    (step - last > 1e-9 * step.min(span)).then(|| {
        format!(
            "{component} takes steps of one size only (canHandleVariableCommunicationStepSize is false), but the last one of \
             this run is {last} instead of {step}: take a step that divides {span}"
        )
    })
}

/// Whether components can do what the algorithm asks of them, as sentences.
fn check_capabilities(
    coupling: &Coupling,
    can: &[Capabilities],
    settings: &Settings,
    loops: &[(Vec<usize>, Algorithm)],
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    if settings.smoothing && settings.extrapolation == 0 {
        return Err(Error::Settings(
            "smoothing needs inputs that are extrapolated: take extrapolation = 1".to_owned(),
        ));
    }
    let all = can;
    for (number, (component, can)) in coupling.components.iter().zip(can).enumerate() {
        let lacks = |lacks, algorithm, instead| Error::Capability {
            component: component.clone(),
            lacks,
            algorithm,
            instead,
        };
        let own = loops.iter().find(|(components, _)| components.contains(&number));
        let repeats = [Some(settings.algorithm), own.map(|(_, algorithm)| *algorithm)];
        let repeats = repeats
            .into_iter()
            .flatten()
            .find(|algorithm| algorithm.repeats());
        let who = match repeats {
            Some(algorithm) => Some(algorithm.as_str()),
            None => settings.control.is_some().then_some("error control"),
        };
        if let (Some(who), false) = (who, can.snapshots) {
            return Err(lacks(
                "cannot go back to an earlier time (canGetAndSetFMUstate)",
                who,
                "take jacobi or gauss-seidel with a fixed step",
            ));
        }
        if settings.control.is_some() && !can.variable_step {
            return Err(lacks(
                "takes steps of one size only (canHandleVariableCommunicationStepSize)",
                "error control",
                "take a fixed step",
            ));
        }
        match settings.correction {
            Correction::Linear if !can.directional_derivatives => {
                return Err(lacks(
                    "does not tell its feed-through (providesDirectionalDerivative)",
                    "linear correction",
                    closes_loops(all, Correction::Linear),
                ));
            }
            Correction::Consistent if !can.outputs_follow_inputs => {
                return Err(lacks(
                    "does not tell outputs for new inputs without a step",
                    "the consistent correction",
                    closes_loops(all, Correction::Consistent),
                ));
            }
            _ => {}
        }
        if settings.extrapolation > can.input_derivatives && !coupling.inputs_of(number).is_empty() {
            warnings.push(format!(
                "{component} does not follow derivatives of its inputs of order {} (canInterpolateInputs): its inputs \
                 are extrapolated with order {}",
                settings.extrapolation, can.input_derivatives
            ));
        }
    }
    Ok(())
}

/// What closes algebraic loops of these components instead of a correction that they do not allow.
fn closes_loops(can: &[Capabilities], instead_of: Correction) -> &'static str {
    if can.iter().all(|can| can.snapshots) {
        return "take iterated-gauss-seidel or newton";
    }
    if instead_of != Correction::Consistent && can.iter().all(|can| can.outputs_follow_inputs) {
        return "take correction = \"consistent\"";
    }
    if instead_of != Correction::Linear && can.iter().all(|can| can.directional_derivatives) {
        return "take correction = \"linear\"";
    }
    "leave the correction out and take gauss-seidel with a small step: nothing else that closes an algebraic loop is possible \
     with these components"
}

/// Gives an error of a component its name.
macro_rules! of {
    ($master:expr, $component:expr, $call:expr) => {
        match $call {
            Ok(value) => value,
            Err(source) => return Err($master.component_error($component, source)),
        }
    };
}
use of;
