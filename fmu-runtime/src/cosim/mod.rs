//! Co-simulation: a model with an integrator inside, advanced by one communication step after the other. It does not
//! depend on FMI.
//!
//! [`CoSimulation`] is the memory: integrator, input curves, pending events. Together with the
//! [`Evaluator`](crate::evaluator::Evaluator) it is all that a snapshot needs; both are `Clone`, and going back to a clone and repeating gives the
//! same bits. [`Workspace`] is scratch memory, one per instance.
//!
//! ```
//! use fmu_runtime::cosim::{CoSimulation, Facts, Options, Reached, Workspace};
//! use fmu_runtime::evaluator::Evaluator;
//! use fmu_runtime::prelude::*;
//!
//! /// A tank
//! #[model]
//! struct Tank {
//!     /// Level
//!     #[state(start = 1.0, unit = "m")]
//!     level: f64,
//!     /// Inflow over area
//!     #[input(start = 0.0, unit = "m/s")]
//!     inflow: f64,
//! }
//!
//! #[equations]
//! impl Model for Tank {
//!     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
//!         Derivatives::<Self> { level: self.inflow }
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let facts = Facts::of::<Tank>().map_err(|error| error.to_string())?;
//! let mut evaluator = Evaluator::new(Box::new(Tank::default()));
//! let mut cosimulation = CoSimulation::new(&facts, Options::default());
//! let mut workspace = Workspace::default();
//!
//! evaluator.enter_initialization(0.0);
//! evaluator.exit_initialization().map_err(|error| error.to_string())?;
//! cosimulation.initialize(&mut evaluator, &mut workspace)?;
//!
//! // The inflow rises by 2 per second.
//! let inflow = 1;
//! assert!(cosimulation.set_input_derivative(inflow, 1, 2.0));
//! let reached = cosimulation.advance(&mut evaluator, &mut workspace, 3.0, |_| {})?;
//! assert_eq!(reached, Reached::End);
//! assert!((evaluator.model().level - 10.0).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```

mod advance;
mod environment;
mod events;
mod facts;
mod inputs;
#[cfg(feature = "bdf")]
mod jacobian;
mod memory;
mod options;
mod parameters;
mod plant;
mod series;
mod statistics;
mod stops;
mod workspace;

pub use environment::{Environment, Point};
pub use events::{Cause, Failure, Happening, Reason};
pub use facts::Facts;
pub use inputs::MAX_INPUT_ORDER;
pub use options::{Options, Solver};
pub use parameters::SolverParameters;
pub use series::{MAX_OUTPUT_ORDER, Series};
pub use statistics::SolverStatistics;
pub(crate) use statistics::write_statistics;
pub use stops::{AtEvent, Stopped, Stops};
pub use workspace::Workspace;

use crate::ModelError;
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::solver::Method;
use crate::solver::Statistics;
use inputs::Inputs;
use plant::Surroundings;
use workspace::new_stamp;

/// How a communication step ended. The evaluator's time is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// To its end.
    End,
    /// The model has ended the simulation.
    Termination,
}

/// Computes the derivatives of inputs that have become states of the internal integration: a master that knows the
/// whole system (Viel 2014, equations 24 to 26).
pub trait Stabilizer: Send {
    /// The derivatives `du` of the stabilized inputs `u`, where the model has the states `x` with derivatives `dx`.
    fn derivatives(
        &mut self,
        t: f64,
        u: &[f64],
        x: &[f64],
        dx: &[f64],
        du: &mut [f64],
    ) -> Result<(), ModelError>;
}

/// The memory of a co-simulation.
#[derive(Debug)]
pub struct CoSimulation {
    options: Options,
    method: Method,
    surroundings: Surroundings,
    /// Event indicators at the present point.
    z: Box<[f64]>,
    next_event_time: Option<f64>,
    terminated: bool,
    /// The equations have changed since the last step.
    changed: bool,
    /// An event is to precede the next step.
    event_requested: bool,
    events: u64,
    last_event_time: f64,
    /// Events that follow each other by less than this count as quick.
    quick: f64,
    /// The number of quick events in a row.
    quick_events: u64,
}

fmu_numerics::clone_in_place! {
    [] CoSimulation => CoSimulation {
        options, method, surroundings, z, next_event_time, terminated, changed, event_requested, events,
        last_event_time, quick, quick_events
    }
}

impl CoSimulation {
    /// For a model with the given facts.
    pub fn new(facts: &Facts, options: Options) -> CoSimulation {
        let options = options.sensible();
        let facts = facts.prepared(&options);
        CoSimulation {
            options,
            method: facts.method(&options, &[]),
            z: vec![0.0; facts.indicators].into(),
            surroundings: Surroundings {
                inputs: Inputs::new(&facts.inputs),
                stabilized: Box::default(),
                stamp: new_stamp(),
                facts,
            },
            next_event_time: None,
            terminated: false,
            changed: false,
            event_requested: false,
            events: 0,
            last_event_time: f64::NEG_INFINITY,
            quick: 0.0,
            quick_events: 0,
        }
    }

    /// Goes on from where the evaluator is: something outside of a step has changed its time, states or equations, or has
    /// settled an event, after which `next_event_time` is due. `z` are the event indicators before that change. A new memory begins there.
    pub(crate) fn resume<M: Model>(
        &mut self,
        evaluator: &Evaluator<M>,
        next_event_time: Option<f64>,
        z: &[f64],
        is_new: bool,
    ) {
        let mut x = vec![0.0; self.method.states().len()];
        self.gather(evaluator, &mut x);
        match is_new {
            true => self.method.restart(evaluator.time(), &x),
            false => self.method.jump(evaluator.time(), &x),
        }
        self.surroundings.stamp = new_stamp();
        self.next_event_time = next_event_time;
        self.terminated = false;
        self.z.copy_from_slice(z);
    }

    /// The event indicators at the present point.
    pub(crate) fn indicators(&self) -> &[f64] {
        &self.z
    }

    /// The same before any step, with the derivatives of inputs that were set.
    fn restarted(&self) -> CoSimulation {
        let Surroundings {
            facts,
            inputs,
            stabilized,
            ..
        } = &self.surroundings;
        let mut restarted = CoSimulation::new(facts, self.options);
        restarted.surroundings.inputs = inputs.clone();
        restarted.stabilize(stabilized);
        restarted
    }

    /// The time that is reached.
    #[inline]
    pub fn time(&self) -> f64 {
        self.method.time()
    }

    /// When the model's next time event is due.
    pub fn next_event_time(&self) -> Option<f64> {
        self.next_event_time
    }

    /// How many events there were, the initial one not counted.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What the integrator has done so far.
    pub fn statistics(&self) -> Statistics {
        self.method.statistics()
    }

    /// The integrator, tolerance and step sizes in use.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Integrator, tolerance and step sizes from the next [`CoSimulation::initialize`] on.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Sets a derivative of order 1 to [`MAX_INPUT_ORDER`] of the continuous input at a Real slot, for the step to
    /// come; false if there is no such input or order. Values and derivatives belong to the beginning of the step, and
    /// an input whose derivatives are not given again stays where its curve has ended.
    pub fn set_input_derivative(&mut self, slot: usize, order: usize, value: f64) -> bool {
        self.surroundings.inputs.set_derivative(slot, order, value)
    }

    /// The value of some input was set: from here on, derivatives of the last step do not hold any more.
    pub fn inputs_changed(&mut self) {
        self.surroundings.inputs.renew();
    }

    /// Something else that the equations depend on was set: a tunable parameter.
    pub fn equations_changed(&mut self) {
        self.changed = true;
    }

    /// An event is to precede the next step: a discrete input was set.
    pub fn request_event(&mut self) {
        self.event_requested = true;
    }

    /// Turns the inputs at some Real slots into states, with derivatives by the workspace's [`Stabilizer`]; no slots turn
    /// them back. False, and nothing done, if one is not a continuous input.
    pub fn stabilize(&mut self, slots: &[usize]) -> bool {
        let facts = &self.surroundings.facts;
        if !slots.iter().all(|slot| facts.inputs.contains(slot)) {
            return false;
        }
        if *slots != *self.surroundings.stabilized {
            let t = self.time();
            let mut x = self.method.states()[..facts.nominals.len()].to_vec();
            x.resize(facts.nominals.len() + slots.len(), 0.0);
            self.method = facts.method(&self.options, slots);
            self.method.restart(t, &x);
            self.surroundings.stabilized = slots.into();
        }
        true
    }
}
