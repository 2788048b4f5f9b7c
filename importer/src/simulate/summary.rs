//! What a simulation took.

use std::time::Duration;

use fmu_solvers::{Method, Statistics};

/// How a simulation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum End {
    /// At the time to stop at.
    #[default]
    Reached,
    /// Earlier, because the FMU said so.
    ByFmu,
    /// Earlier, because it was interrupted.
    Interrupted,
}

/// Events by their causes; one event may have several causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Events {
    /// An event indicator changed its sign.
    pub state: usize,
    /// The FMU had announced them.
    pub time: usize,
    /// The FMU asked for them after a step.
    pub step: usize,
    /// An input jumped.
    pub input: usize,
    /// Passes of the event iteration.
    pub iterations: usize,
}

impl Events {
    /// All of them.
    pub fn total(&self) -> usize {
        self.state + self.time + self.step + self.input
    }
}

/// A step that was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SolverStep {
    /// Where it ended.
    pub time: f64,
    /// Its size.
    pub size: f64,
    /// Its estimated error as a part of what is tolerated, where the solver has one; see [`crate::simulate::watch_errors`].
    pub error: Option<f64>,
    /// The order of the method; 0 for a step that an FMU made by itself.
    pub order: usize,
    /// Tries before it that were too inexact.
    pub rejected: usize,
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// Events at its end.
    pub events: usize,
}

/// A value of an FMU that was infinite or not a number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotFinite {
    /// The variable.
    pub variable: String,
    /// When.
    pub time: f64,
    /// What it was.
    pub value: f64,
}

/// How a simulation ended, and what it took.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// How it ended.
    pub end: End,
    /// Where it ended.
    pub time: f64,
    /// The solver, if it was ours.
    pub method: Option<Method>,
    /// Rows that were recorded.
    pub rows: usize,
    /// What the solver did.
    pub solver: Statistics,
    /// Evaluations of the derivatives.
    pub evaluations: usize,
    /// Evaluations of the event indicators.
    pub indicator_evaluations: usize,
    /// Number of Jacobians.
    pub jacobians: usize,
    /// Evaluations that one Jacobian takes, after compression.
    pub jacobian_groups: usize,
    /// Whether Jacobians were kept sparse.
    pub sparse: bool,
    /// Calls of `fmi2GetDirectionalDerivative`.
    pub directional_derivatives: usize,
    /// Communication steps, if the FMU integrated.
    pub communication_steps: usize,
    /// Communication steps that the FMU discarded.
    pub discarded: usize,
    /// Events.
    pub events: Events,
    /// Sentences that a reader of the results should know.
    pub warnings: Vec<String>,
    /// The first output or recorded variable that was infinite or not a number, at the points that were recorded. What
    /// was computed from there on is worthless.
    pub not_finite: Option<NotFinite>,
    /// Calls of the FMU that returned `fmi2Warning`.
    pub warned: u64,
    /// The first of them: its function, the value if it was a start value, and what the FMU logged.
    pub first_warning: Option<String>,
    /// How often the solver was restarted.
    pub restarts: usize,
    /// The whole time, from unpacking the FMU to its last call.
    pub total: Duration,
    /// Of this, before the simulation began: unpacking, loading, initializing.
    pub setup: Duration,
    /// Of the simulation, inside of the FMU.
    pub in_fmu: Duration,
}
