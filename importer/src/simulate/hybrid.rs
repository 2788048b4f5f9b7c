//! Systems that are smooth between events, and how they are simulated: one FMU, or many under one solver.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fmu_solvers::{ImplicitSystem, Method, Refused, Tuning};

use super::experiment::Experiment;
use super::run::Run;
pub use super::stopwatch::Stopwatch;
use super::{SimulateError, SolverStep, Summary};
use crate::{CompletedStep, EventInfo};

/// Differential equations with event indicators, time events and step events, as Model Exchange has them
/// (FMI 2.0.5, 3.1.1).
///
/// Between events it is an [`ImplicitSystem`]. An event is [`enter`](Hybrid::enter), [`iterate`](Hybrid::iterate) once or
/// again, [`resume`](Hybrid::resume); after it, [`states`](Hybrid::states) and [`signs`](Hybrid::signs) return the new
/// values.
pub trait Hybrid: ImplicitSystem<Error = Refused> {
    /// What can go wrong.
    type Fault: From<SimulateError>;

    /// How many states there are.
    fn number_of_states(&self) -> usize;

    /// How many event indicators there are.
    fn number_of_event_indicators(&self) -> usize;

    /// Goes to a point of continuous time.
    fn set(&mut self, time: f64, x: &[f64]) -> Result<(), Self::Fault>;

    /// Goes to a point of continuous time, and evaluates the event indicators there.
    fn indicators(&mut self, time: f64, x: &[f64], z: &mut [f64]) -> Result<(), Self::Fault>;

    /// The derivatives of the states where it is.
    fn slopes(&mut self, time: f64, dx: &mut [f64]) -> Result<(), Self::Fault>;

    /// Whether [`completed`](Hybrid::completed) must be called after every step.
    fn needs_completed_steps(&self) -> bool;

    /// After how many steps a Jacobian is worth its evaluations again; see [`jacobian_age`].
    fn jacobian_age(&self) -> usize;

    /// A step of the solver ends. If the system [needs completed steps](Hybrid::needs_completed_steps), it is at the end of
    /// the step.
    fn completed(&mut self, time: f64) -> Result<CompletedStep, Self::Fault>;

    /// Begins an event where it is; indicators `crossed` zero.
    fn enter(&mut self, time: f64, crossed: &[usize]) -> Result<(), Self::Fault>;

    /// Iterates until nothing changes any more; what changed in any pass has changed. Counts `passes`.
    fn iterate(&mut self, time: f64, passes: &mut usize) -> Result<EventInfo, Self::Fault>;

    /// Ends an event: time is continuous again.
    fn resume(&mut self, time: f64) -> Result<(), Self::Fault>;

    /// The states after an event.
    fn states(&mut self, time: f64, x: &mut [f64]) -> Result<(), Self::Fault>;

    /// The event indicators after an event.
    fn signs(&mut self, time: f64, z: &mut [f64]) -> Result<(), Self::Fault>;

    /// The usual sizes of the states.
    fn nominals(&mut self, time: f64, sizes: &mut [f64]) -> Result<(), Self::Fault>;

    /// When the next time event is due; infinity for never.
    fn next_time_event(&self) -> f64;

    /// When an input jumps next after a time; infinity for never.
    fn next_jump(&self, time: f64) -> f64;

    /// When an input has a kink next after a time; infinity for never.
    fn next_kink(&self, time: f64) -> f64;

    /// A step was accepted: what was refused on the way does not count.
    fn accepted(&mut self);

    /// Why the solver failed: the fault of the system or, if it has none, `otherwise`.
    fn failure(&mut self, time: f64, otherwise: fmu_solvers::Error) -> Self::Fault;
}

/// Settings of the simulation of a hybrid system.
#[non_exhaustive]
pub struct RunSettings<'c> {
    /// The solver.
    pub method: Method,
    /// Start time.
    pub start: f64,
    /// Stop time; the system is never evaluated beyond it.
    pub stop: f64,
    /// The time between outputs.
    pub output_step: f64,
    /// The step of a solver with fixed steps; that of outputs where none is given.
    pub fixed_step: Option<f64>,
    /// The relative tolerance of results.
    pub tolerance: f64,
    /// How steps and matrices of the solver change.
    pub tuning: Tuning,
    /// Ends the simulation when it becomes true.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Receives the time after each step.
    pub progress: Option<Box<dyn FnMut(f64) + 'c>>,
    /// Receives every step.
    pub steps: Option<Box<dyn FnMut(SolverStep) + 'c>>,
}

impl RunSettings<'_> {
    /// From a start to a stop, with outputs in 500 steps and a tolerance of 1e-6.
    pub fn new(start: f64, stop: f64) -> Self {
        Self {
            method: Method::default(),
            start,
            stop,
            output_step: (stop - start) / 500.0,
            fixed_step: None,
            tolerance: 1e-6,
            tuning: Tuning::default(),
            interrupt: None,
            progress: None,
            steps: None,
        }
    }

    pub(super) fn experiment(&self) -> Experiment {
        Experiment {
            start: self.start,
            stop: self.stop,
            output_step: self.output_step,
            tolerance: self.tolerance,
        }
    }
}

/// After how many steps a new Jacobian saves more than its evaluations cost, because Newton's method needs more iterations with
/// an old one. The cost of factorizing is not considered. If no exact evaluations exist, a Jacobian is always expensive.
pub fn jacobian_age(is_sparse: bool, evaluations: Option<usize>) -> usize {
    let (fewest, most) = (10, 50);
    match evaluations {
        Some(evaluations) if !is_sparse => (5 * evaluations).clamp(fewest, most),
        _ => most,
    }
}

/// Receives the system, the time, and whether this is an event; returns whether the simulation goes on.
pub type Observe<'o, H> = dyn FnMut(&mut H, f64, bool) -> Result<bool, <H as Hybrid>::Fault> + 'o;

/// Simulates a system that is initialized and at its first event. For each output, `observe` receives the system at
/// its time, and whether it is at an event. The simulation ends when `observe` returns false.
///
/// The summary contains the work of the solver and the events. The system counts its own evaluations.
pub fn simulate<H: Hybrid>(
    system: &RefCell<H>,
    settings: RunSettings,
    observe: &mut Observe<H>,
) -> Result<Summary, H::Fault> {
    Run::whole(system, settings, observe)
}
