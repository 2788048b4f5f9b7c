//! Many components under one solver: FMUs for Model Exchange, models in Rust and coupling equations as one system of
//! differential equations (Pannu 2015).
//!
//! The states of all components are one vector. At every evaluation inputs are closed in the order of the graph,
//! algebraic loops by Newton's method; the Jacobian is put together from the partial derivatives of each component.
//! Events of all components are located together; the component that has one is handled first, then those that it reaches.
//!
//! ```no_run
//! use fmu_importer::Fmu;
//! use fmu_master::aggregate::{Assembly, FmuModel};
//! use fmu_master::settings::Settings;
//!
//! let mut system = Assembly::new();
//! system.add("wheel", FmuModel::new(Fmu::open("Wheel.fmu")?.model_exchange("wheel")?));
//! system.add("chassis", FmuModel::new(Fmu::open("Chassis.fmu")?.model_exchange("chassis")?));
//! system.connect("wheel.x", "chassis.x_wheel").connect("chassis.force", "wheel.force");
//! let mut system = system.build(Settings::default().stop(10.0).tolerance(1e-8))?;
//! system.run(|point| {
//!     println!("{} {:?}", point.t, point.y);
//!     true
//! })?;
//! println!("{} steps", system.statistics().steps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod discrete;
mod equation;
mod events;
mod external;
mod fmu;
mod jacobian;
#[cfg(feature = "native")]
mod native;
mod network;
mod plan;
mod signals;
mod system;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use assembly::{Assembly, Read};
pub use equation::{Closures, CouplingEquation, Sum};
pub use external::ExternalEvent;
pub use fmu::FmuModel;
use fmu_importer::simulate::SolverStep;
use fmu_importer::simulate::hybrid::{RunSettings, simulate as integrate};
use fmu_importer::simulate::{self, Method};
pub use fmu_importer::simulate::{Matrices, Summary};
pub use fmu_numerics::Pattern;
#[cfg(feature = "native")]
pub use native::{Differentiable, NativeModel};
use network::Network;

use crate::Error;
use crate::component::ModelExchange;
use crate::coupling::Coupling;
use crate::observe::{End, Point, Recordable};
use crate::settings::Settings;
use crate::statistics::{LoopStatistics, Statistics};

/// The solver over all components, if the settings describe a simulation.
fn check(settings: &Settings) -> Result<Method, Error> {
    let Settings {
        start,
        stop,
        step,
        solver,
        ..
    } = *settings;
    let tolerance = settings.solver_tolerance();
    if !(stop > start && step > 0.0 && tolerance > 0.0 && (stop - start).is_finite()) {
        return Err(Error::Settings(format!(
            "from {start} to {stop} with outputs every {step} and a tolerance of {tolerance} is not a simulation"
        )));
    }
    let Some(method) = solver.over_all() else {
        return Err(Error::Settings(format!(
            "{solver} is a solver around one component, and not over all: take bdf or tsit45"
        )));
    };
    let smallest = method.smallest_tolerance();
    match tolerance >= smallest {
        true => Ok(method),
        false => Err(Error::Settings(format!(
            "the tolerance {tolerance:e} is smaller than {method} can keep; at least {smallest:e} is possible"
        ))),
    }
}

/// Components under one solver.
pub struct Aggregate {
    network: RefCell<Network>,
    settings: Settings,
    method: Method,
    statistics: Statistics,
    interrupt: Option<Arc<AtomicBool>>,
}

/// An aggregate at an output point, for its observer.
pub struct Observed<'a> {
    network: &'a mut Network,
    /// Whether it is at an event: there are two points then, before and after.
    pub event: bool,
}

impl Observed<'_> {
    /// Time, outputs and inputs.
    pub fn point(&self) -> Point<'_> {
        Point {
            t: self.network.time,
            y: &self.network.y,
            u: &self.network.u,
        }
    }

    /// A component, for what is beyond coupling.
    pub fn component(&mut self, number: usize) -> Option<&mut dyn ModelExchange> {
        let place = self.network.places.get_mut(number)?;
        Some(&mut *place.component)
    }
}

impl Recordable for Observed<'_> {
    fn point(&self) -> Point<'_> {
        Observed::point(self)
    }

    fn instance(&mut self, component: usize) -> Option<&mut fmu_importer::Instance> {
        self.component(component)?.as_fmu()
    }
}

impl Aggregate {
    fn new(network: Network, settings: Settings, method: Method) -> Aggregate {
        Aggregate {
            statistics: Statistics::new(&network.coupling.components),
            network: RefCell::new(network),
            settings,
            method,
            interrupt: None,
        }
    }

    /// The inputs and outputs of all components.
    pub fn coupling(&mut self) -> &Coupling {
        &self.network.get_mut().coupling
    }

    /// Ends the simulation when this becomes true.
    pub fn interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = Some(flag);
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Initializes all components and simulates to the stop time. Each output point is shown to `observe`; false ends
    /// the simulation there.
    pub fn run(&mut self, mut observe: impl FnMut(Point<'_>) -> bool) -> Result<End, Error> {
        self.run_with(|observed| Ok(observe(observed.point())))
    }

    /// The same, for an observer that needs more than values of the coupling.
    pub fn run_with(
        &mut self,
        observe: impl FnMut(&mut Observed<'_>) -> Result<bool, Error>,
    ) -> Result<End, Error> {
        self.run_all(None, observe)
    }

    /// The same; each step of the solver is passed to `steps`.
    pub fn run_traced(
        &mut self,
        steps: &mut dyn FnMut(SolverStep),
        observe: impl FnMut(&mut Observed<'_>) -> Result<bool, Error>,
    ) -> Result<End, Error> {
        self.run_all(Some(Box::new(steps)), observe)
    }

    fn run_all(
        &mut self,
        steps: Option<Box<dyn FnMut(SolverStep) + '_>>,
        mut observe: impl FnMut(&mut Observed<'_>) -> Result<bool, Error>,
    ) -> Result<End, Error> {
        let begin = std::time::Instant::now();
        self.network.get_mut().initialize(&self.settings)?;
        let mut run = RunSettings::new(self.settings.start, self.settings.stop);
        run.method = self.method;
        run.output_step = self.settings.step;
        run.tolerance = self.settings.solver_tolerance();
        run.interrupt = self.interrupt.clone();
        run.steps = steps;
        let setup = begin.elapsed();
        let summary = integrate(&self.network, run, &mut |network, _, event| {
            network.show()?;
            observe(&mut Observed { network, event })
        })?;
        let network = self.network.get_mut();
        network.terminate()?;
        let end = network.end(&summary);
        network.count(&mut self.statistics, summary);
        self.statistics.summary.setup = setup;
        self.statistics.time = begin.elapsed();
        self.statistics.summary.total = self.statistics.time;
        Ok(end)
    }
}

impl Network {
    /// Initialization: outputs and inputs that belong to each other, in the order of the graph.
    fn initialize(&mut self, settings: &Settings) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let component = &mut self.places[at].component;
            let tolerance = settings.solver_tolerance();
            let entered = component.enter_initialization(settings.start, settings.stop, Some(tolerance));
            entered.map_err(|source| self.of(at, source))?;
        }
        self.signals.pass(settings.start);
        self.settle_initialization()?;
        for at in 0..self.places.len() {
            let exited = self.places[at].component.exit_initialization();
            exited.map_err(|source| self.of(at, source))?;
            let place = &mut self.places[at];
            (place.active, place.pending) = (true, true);
        }
        self.known.fill(true);
        self.in_event = true;
        Ok(())
    }

    /// What components say of their initialization.
    fn warnings(&self) -> Vec<String> {
        let names = self.coupling.components.iter();
        names
            .zip(&self.places)
            .flat_map(|(name, place)| {
                let said = place.component.warnings();
                said.into_iter().map(move |warning| format!("{name}: {warning}"))
            })
            .collect()
    }

    fn terminate(&mut self) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let ended = self.places[at].component.terminate();
            ended.map_err(|source| self.of(at, source))?;
        }
        Ok(())
    }

    fn end(&self, summary: &Summary) -> End {
        match summary.end {
            simulate::End::Reached => End::Reached,
            simulate::End::Interrupted => End::Interrupted,
            simulate::End::ByFmu => End::Terminated {
                component: self
                    .terminated
                    .map_or_else(String::new, |at| self.coupling.components[at].clone()),
                time: Some(summary.time),
            },
        }
    }

    /// Adds what a run has taken.
    fn count(&self, statistics: &mut Statistics, mut summary: Summary) {
        let mut partials = 0;
        for (counted, place) in statistics.components.iter_mut().zip(&self.places) {
            counted.derivative_evaluations = place.evaluations as u64;
            counted.output_evaluations = place.output_evaluations as u64;
            counted.partial_evaluations = place.component.partial_evaluations() as u64;
            counted.events = place.events as u64;
            counted.warned = place.component.warned();
            counted.first_warning = place.component.first_warning().map(str::to_owned);
            partials += place.component.partial_evaluations();
        }
        let loops = self.plan.loops.iter().map(|unknowns| LoopStatistics {
            variables: self.coupling.output_names(unknowns.outputs.iter().copied()),
            solved: unknowns.solved,
            iterations: unknowns.iterations,
        });
        statistics.loops = loops.collect();
        statistics.external_events = self.external.iter().map(|event| event.happened).collect();
        statistics.steps = summary.solver.steps;
        statistics.rejected = summary.solver.error_failures;
        summary.warnings.extend(self.warnings());
        summary.evaluations = self.evaluations;
        summary.indicator_evaluations = self.indicator_evaluations;
        summary.jacobians = self.jacobian.evaluations;
        summary.sparse = self.jacobian.pattern().is_some();
        summary.directional_derivatives = partials;
        summary.in_fmu = self.in_components.total();
        summary.warned = statistics
            .components
            .iter()
            .map(|component| component.warned)
            .sum();
        statistics.summary = summary;
    }
}
