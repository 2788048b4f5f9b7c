//! Many components under one solver: FMUs for Model Exchange, models in Rust and coupling equations as one system of
//! differential equations (Pannu 2015).
//!
//! The states of all components are one vector. At every evaluation inputs are closed in the order of the graph,
//! algebraic loops by Newton's method; the Jacobian is put together from the partial derivatives of each component.
//! Events of all components are looked for at once; whoever has one is handled, and then whom it reaches.
//!
//! ```no_run
//! use fmu_importer::Fmu;
//! use fmu_master::aggregate::{Assembly, FmuModel, Settings};
//!
//! let mut system = Assembly::new();
//! system.add("wheel", FmuModel::new(Fmu::open("Wheel.fmu")?.model_exchange("wheel")?));
//! system.add("chassis", FmuModel::new(Fmu::open("Chassis.fmu")?.model_exchange("chassis")?));
//! system.connect("wheel.x", "chassis.x_wheel").connect("chassis.force", "wheel.force");
//! let mut system = system.build(Settings { stop: 10.0, tolerance: 1e-8, ..Settings::default() })?;
//! let statistics = system.run(|point| {
//!     println!("{} {:?}", point.t, point.y);
//!     true
//! })?;
//! println!("{} steps", statistics.summary.solver.steps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod component;
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
pub use component::{Component, Names};
pub use equation::{Closures, CouplingEquation, Sum};
pub use external::ExternalEvent;
pub use fmu::FmuModel;
use fmu_importer::simulate::SolverStep;
use fmu_importer::simulate::hybrid::{Course, simulate};
pub use fmu_importer::simulate::{Matrices, Method, Summary};
pub use fmu_numerics::Pattern;
#[cfg(feature = "native")]
pub use native::{Differentiable, NativeModel};
use network::Network;

use crate::coupling::Coupling;
use crate::record::Recordable;
use crate::statistics::LoopStatistics;
use crate::{Error, Point};

/// How an aggregate is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Start time.
    pub start: f64,
    /// Stop time; components are never evaluated beyond it.
    pub stop: f64,
    /// The distance of outputs.
    pub output_step: f64,
    /// The relative tolerance of results.
    pub tolerance: f64,
    /// The solver.
    pub method: Method,
    /// Whether the Jacobian is sparse.
    pub matrices: Matrices,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: 0.0,
            stop: 1.0,
            output_step: 0.01,
            tolerance: 1e-6,
            method: Method::default(),
            matrices: Matrices::default(),
        }
    }
}

impl Settings {
    fn check(&self) -> Result<(), Error> {
        let Settings {
            start,
            stop,
            output_step,
            tolerance,
            method,
            ..
        } = *self;
        if !(stop > start && output_step > 0.0 && tolerance > 0.0 && (stop - start).is_finite()) {
            return Err(Error::Settings(format!(
                "from {start} to {stop} with outputs every {output_step} and a tolerance of {tolerance} is no simulation"
            )));
        }
        let smallest = method.smallest_tolerance();
        match tolerance >= smallest {
            true => Ok(()),
            false => Err(Error::Settings(format!(
                "the tolerance {tolerance:e} is smaller than {method} can keep; at least {smallest:e} is possible"
            ))),
        }
    }
}

/// What an aggregate has taken.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The solver, events, and evaluations of the whole.
    pub summary: Summary,
    /// Of each component; coupling equations as well.
    pub components: Vec<ComponentWork>,
    /// Of each algebraic loop.
    pub loops: Vec<LoopStatistics>,
    /// How often each external event has happened.
    pub external_events: Vec<usize>,
}

/// What a component has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentWork {
    /// Its name.
    pub name: String,
    /// Evaluations of its derivatives.
    pub evaluations: usize,
    /// Times that some of its outputs were asked for, loops included.
    pub output_evaluations: usize,
    /// Evaluations that its partial derivatives have taken.
    pub partial_evaluations: usize,
    /// Events that it took part in.
    pub events: usize,
}

/// Components under one solver.
pub struct Aggregate {
    network: RefCell<Network>,
    settings: Settings,
    interrupt: Option<Arc<AtomicBool>>,
}

/// An aggregate at an output point.
pub struct Moment<'a> {
    network: &'a mut Network,
    /// Whether it is at an event: there are two points then, before and after.
    pub event: bool,
}

impl Moment<'_> {
    /// Time, outputs and inputs.
    pub fn point(&self) -> Point<'_> {
        Point {
            t: self.network.time,
            y: &self.network.y,
            u: &self.network.u,
        }
    }

    /// A component, for what is beyond coupling.
    pub fn component(&mut self, number: usize) -> Option<&mut dyn Component> {
        let place = self.network.places.get_mut(number)?;
        Some(&mut *place.component)
    }
}

impl Recordable for Moment<'_> {
    fn point(&self) -> Point<'_> {
        Moment::point(self)
    }

    fn instance(&mut self, component: usize) -> Option<&mut fmu_importer::Instance> {
        Some(&mut **self.component(component)?.as_fmu()?.instance())
    }
}

impl Aggregate {
    fn new(network: Network, settings: Settings) -> Aggregate {
        Aggregate {
            network: RefCell::new(network),
            settings,
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

    /// Initializes all components and simulates to the stop time. Each output point is shown to `observe`; false ends
    /// the simulation there.
    pub fn run(&mut self, mut observe: impl FnMut(Point<'_>) -> bool) -> Result<Statistics, Error> {
        self.run_with(|moment| Ok(observe(moment.point())))
    }

    /// The same, for an observer that needs more than values of the coupling.
    pub fn run_with(
        &mut self,
        observe: impl FnMut(&mut Moment<'_>) -> Result<bool, Error>,
    ) -> Result<Statistics, Error> {
        self.run_all(None, observe)
    }

    /// The same; each step of the solver is passed to `steps`.
    pub fn run_traced(
        &mut self,
        steps: &mut dyn FnMut(SolverStep),
        observe: impl FnMut(&mut Moment<'_>) -> Result<bool, Error>,
    ) -> Result<Statistics, Error> {
        self.run_all(Some(Box::new(steps)), observe)
    }

    fn run_all(
        &mut self,
        steps: Option<Box<dyn FnMut(SolverStep) + '_>>,
        mut observe: impl FnMut(&mut Moment<'_>) -> Result<bool, Error>,
    ) -> Result<Statistics, Error> {
        let begin = std::time::Instant::now();
        self.network.get_mut().initialize(&self.settings)?;
        let Settings {
            start,
            stop,
            output_step,
            tolerance,
            method,
            ..
        } = self.settings;
        let course = Course {
            method,
            output_step,
            tolerance,
            interrupt: self.interrupt.clone(),
            steps,
            ..Course::new(start, stop)
        };
        let setup = begin.elapsed();
        let summary = simulate(&self.network, course, &mut |network, _, event| {
            network.show()?;
            observe(&mut Moment { network, event })
        })?;
        let network = self.network.get_mut();
        network.terminate()?;
        let mut statistics = network.statistics(summary);
        statistics.summary.warnings.extend(network.warnings());
        statistics.summary.warned = network.places.iter().map(|place| place.component.warned()).sum();
        statistics.summary.setup = setup;
        statistics.summary.total = begin.elapsed();
        Ok(statistics)
    }
}

impl Network {
    /// Initialization: outputs and inputs that belong to each other, in the order of the graph.
    fn initialize(&mut self, settings: &Settings) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let component = &mut self.places[at].component;
            let entered = component.enter_initialization(settings.start, settings.stop, settings.tolerance);
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

    fn statistics(&self, summary: Summary) -> Statistics {
        let names = self.coupling.components.iter();
        let work = names.zip(&self.places).map(|(name, place)| ComponentWork {
            name: name.clone(),
            evaluations: place.evaluations,
            output_evaluations: place.output_evaluations,
            partial_evaluations: place.component.partial_evaluations(),
            events: place.events,
        });
        let components: Vec<ComponentWork> = work.collect();
        let loops = self.plan.loops.iter().map(|knot| LoopStatistics {
            variables: self.coupling.output_names(knot.outputs.iter().copied()),
            solved: knot.solved,
            iterations: knot.iterations,
        });
        Statistics {
            summary: Summary {
                evaluations: self.evaluations,
                indicator_evaluations: self.indicator_evaluations,
                jacobians: self.jacobian.evaluations,
                sparse: self.jacobian.pattern().is_some(),
                directional_derivatives: components.iter().map(|work| work.partial_evaluations).sum(),
                in_fmu: self.in_components.total(),
                ..summary
            },
            loops: loops.collect(),
            external_events: self.external.iter().map(|event| event.happened).collect(),
            components,
        }
    }
}
