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
mod measure;
mod memory;
mod newton;
mod place;
mod plain;
mod plan;
mod requirements;
mod run;
mod samples;
mod split;
mod stability;
mod stabilized;
mod state;
mod step;
mod stopped;
mod unknowns;

use std::sync::{Mutex, PoisonError};

use crate::again::Remedy;
use crate::component::{Capabilities, Component, ComponentError, RefusedDerivatives, Stepping};
use crate::coupling::Coupling;
use crate::error::Error;
use crate::settings::{Algorithm, Settings};
use crate::signals::Signals;
use crate::statistics::Statistics;
use corners::Corners;
use memory::Memory;
use place::Place;
use plan::StepPlan;
use requirements::{HELD, check_capabilities, last_step, steppers};
use samples::Discrete;
use state::State;

/// Components that are simulated together, by communication steps.
pub struct Master {
    coupling: Coupling,
    components: Vec<Mutex<Place>>,
    /// What each can do.
    can: Vec<Capabilities>,
    /// Loops with algorithms of their own.
    loops: Vec<(Vec<usize>, Algorithm)>,
    signals: Signals,
    settings: Settings,
    /// What follows from all this, and is worked out once.
    plan: StepPlan,
    corners: Corners,
    /// Where the run is.
    state: State,
    /// What steppers remember and compute with.
    memory: Memory,
    statistics: Statistics,
    warnings: Vec<String>,
    notes: Vec<String>,
    /// What would have led to a better end.
    remedy: Option<Remedy>,
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
        let plan = StepPlan::new(&coupling, &can, &settings, loops, held);
        let one_size = can.iter().position(|can| !can.variable_step);
        let one_size = one_size.map(|component| coupling.components[component].as_str());
        let corners = Corners::new(&coupling, &signals, &settings, one_size, &mut warnings);
        warnings.extend(one_size.and_then(|component| last_step(component, &settings)));
        let place = |(number, one)| {
            let (inputs, outputs) = (coupling.inputs_of(number), coupling.outputs_of(number));
            Mutex::new(Place::new(one, inputs, outputs, settings.extrapolation))
        };
        let components: Vec<Mutex<Place>> = steppers.into_iter().enumerate().map(place).collect();
        let mut master = Master {
            state: State::new(&settings, inputs, outputs),
            memory: Memory::new(
                &settings,
                &can,
                plan.at_once(),
                [inputs, outputs, signals.len()],
                loops.is_empty(),
            ),
            corners,
            can,
            loops: loops.to_vec(),
            remedy: None,
            statistics: Statistics::new(&coupling.components),
            coupling,
            components,
            signals,
            settings,
            plan,
            warnings,
            notes: Vec::new(),
        };
        master.choose_plain();
        master.statistics.loops = (0..master.plan.loops.len())
            .map(|number| {
                let unknowns = &master.plan.loops[number];
                crate::statistics::LoopStatistics {
                    variables: master.loop_names(&unknowns.outputs, &unknowns.inputs),
                    ..Default::default()
                }
            })
            .collect();
        Ok(master)
    }

    /// The estimated error of the last step as a part of the tolerated one; 0 without error control.
    pub fn step_error(&self) -> f64 {
        self.state.step_error
    }

    /// The weights of the newest values of an input by differences in its value a step later, for equal steps, the newest
    /// first; `None` where its source provides derivatives, or where it comes from outside.
    pub fn extrapolation_weights(&self, input: usize) -> Option<&'static [f64]> {
        let fed = self.coupling.structure().sources[input].is_some();
        let by_differences = fed && (self.plan.orders[input] == 0 || !self.plan.from_source[input]);
        by_differences.then(|| self.settings.quadratic.weights(self.plan.orders[input]))
    }

    /// The time that is reached.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// How it is simulated.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All outputs that take part in the coupling, in the order of [`Coupling::outputs`].
    pub fn outputs(&self) -> &[f64] {
        &self.state.values.y
    }

    /// All inputs that take part in the coupling, in the order of [`Coupling::inputs`].
    pub fn inputs(&self) -> &[f64] {
        &self.state.values.u
    }

    /// The components and their connections.
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
                time: self.state.t,
                source,
                remedy: Remedy::InputOrder { component, order },
            };
        }
        Error::Component {
            component: self.coupling.components[component].clone(),
            time: self.state.t,
            source,
        }
    }
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
