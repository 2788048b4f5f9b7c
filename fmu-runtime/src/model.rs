//! What a model is, independent of FMI: the traits that `#[model]` and `#[equations]` implement and that
//! everything else in this crate is written against. A model author never names them.

use crate::__private::hidden::{ModelUsages, Usages};
use crate::cosim::Solver;
use crate::describe::Describer;
use crate::scalar::{Scalar, ScalarRef};
use crate::stored::{Damaged, Reader, Writer};
use crate::{Event, ModelError, Next};
use std::path::Path;

/// How many scalar variables of each base type a model has, arrays and parts counted flat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// `f64` variables, without the derivatives and time.
    pub reals: usize,
    /// `i32` and enumeration variables.
    pub integers: usize,
    /// `bool` variables.
    pub booleans: usize,
    /// `String` variables.
    pub strings: usize,
    /// Continuous states.
    pub states: usize,
    /// Implicit unknowns.
    pub unknowns: usize,
}

impl Counts {
    /// Every count `n` times: an array of parts.
    pub const fn times(self, n: usize) -> Counts {
        Counts {
            reals: self.reals * n,
            integers: self.integers * n,
            booleans: self.booleans * n,
            strings: self.strings * n,
            states: self.states * n,
            unknowns: self.unknowns * n,
        }
    }

    /// Element-wise sum: a model counts its own variables and those of its parts.
    pub const fn plus(self, other: Counts) -> Counts {
        Counts {
            reals: self.reals + other.reals,
            integers: self.integers + other.integers,
            booleans: self.booleans + other.booleans,
            strings: self.strings + other.strings,
            states: self.states + other.states,
            unknowns: self.unknowns + other.unknowns,
        }
    }
}

/// The variables of a model as numbered slots. Implemented by `#[model]` for every scalar.
///
/// A slot is the position among the variables of one base type, in declaration order, arrays row by row,
/// parts in place. Callers keep slots below [`Structure::COUNTS`].
pub trait Structure<S: Scalar>: Sized {
    /// Number of slots.
    const COUNTS: Counts;
    /// Whether there may be a value that exploration cannot try: an integer or a string with too many values, an
    /// internal field.
    const UNBOUNDED: bool = false;

    /// Reads a Real.
    fn real(&self, slot: usize) -> S;
    /// Writes a Real.
    fn set_real(&mut self, slot: usize, value: S);
    /// Reads an Integer or Enumeration.
    fn integer(&self, slot: usize) -> i32;
    /// Writes an Integer or Enumeration; false (and nothing written) if an enumeration has no such item.
    fn set_integer(&mut self, slot: usize, value: i32) -> bool;
    /// Reads a Boolean.
    fn boolean(&self, slot: usize) -> bool;
    /// Writes a Boolean.
    fn set_boolean(&mut self, slot: usize, value: bool);
    /// Reads a String.
    fn string(&self, slot: usize) -> &str;
    /// Writes a String.
    fn set_string(&mut self, slot: usize, value: &str);

    /// Copies the continuous states to `x`.
    fn states(&self, x: &mut [S]);
    /// Copies `x` to the continuous states.
    fn set_states(&mut self, x: &[S]);

    /// Copies the implicit unknowns to `x`.
    fn unknowns(&self, x: &mut [S]);
    /// Copies `x` to the implicit unknowns.
    fn set_unknowns(&mut self, x: &[S]);
}

/// The groups of values that the author's functions return, one struct per group, with one field per variable.
/// Implemented by `#[model]`; the aliases [`Derivatives`], [`Locals`] and so on name them in equations.
pub trait Groups {
    /// One value per state.
    type Derivatives;
    /// One value per local variable.
    type Locals;
    /// One value per output that is not also a state, local, discrete or constant.
    type Outputs;
    /// One value per calculated parameter.
    type Calculated;
    /// One value per state or discrete variable that initial equations determine.
    type Initial;
    /// One value per input of a part that this model drives.
    type Connections;
    /// One residual per implicit unknown.
    type Residuals;
}

/// What `fn derivatives` returns: a struct with one field per state.
pub type Derivatives<M> = <M as Groups>::Derivatives;
/// What `fn locals` returns: a struct with one field per local variable.
pub type Locals<M> = <M as Groups>::Locals;
/// What `fn outputs` returns: a struct with one field per output.
pub type Outputs<M> = <M as Groups>::Outputs;
/// What `fn calculated` returns: a struct with one field per calculated parameter.
pub type Calculated<M> = <M as Groups>::Calculated;
/// What `fn initial` returns: a struct with one field per variable that initial equations determine.
pub type Initial<M> = <M as Groups>::Initial;
/// What `fn connections` returns: a struct with one field per input of a part that this model drives.
pub type Connections<M> = <M as Groups>::Connections;
/// What `fn residuals` returns: a struct with one field per implicit unknown.
pub type Residuals<M> = <M as Groups>::Residuals;

/// The static facts of a model: its variables with all their attributes.
/// Implemented by `#[model]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "put `#[model]` on the struct, and its equations into `#[equations] impl Model for ... {{ }}`"
)]
pub trait Describe {
    /// Adds every variable to `describer`, in declaration order. `self` holds the start values.
    fn describe(&self, describer: &mut Describer);
    /// The attributes of `#[model(...)]`.
    fn about() -> About;

    /// Calls `report` with the name of every internal field that cannot be written as bytes; `prefix` is the path to the
    /// model.
    fn unstored(&self, prefix: &str, report: &mut dyn FnMut(String)) {
        let _ = (prefix, report);
    }
    /// Appends the internal fields, those of parts too.
    fn store_internal(&self, out: &mut Writer<'_>) {
        let _ = out;
    }
    /// Takes the internal fields from the front of the bytes.
    fn load_internal(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        let _ = from;
        Ok(())
    }
}

/// The attributes of `#[model(...)]`, and the doc comment of the struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Name of the model: `name = "..."`, or the name of the struct.
    pub name: &'static str,
    /// The doc comment.
    pub description: &'static str,
    /// `author`.
    pub author: Option<&'static str>,
    /// `version`.
    pub version: Option<&'static str>,
    /// `copyright`.
    pub copyright: Option<&'static str>,
    /// `license`.
    pub license: Option<&'static str>,
    /// `start_time`.
    pub start_time: Option<f64>,
    /// `stop_time`.
    pub stop_time: Option<f64>,
    /// `step_size`.
    pub step_size: Option<f64>,
    /// `tolerance`.
    pub tolerance: Option<f64>,
    /// `solver`.
    pub solver: Solver,
    /// `max_step`.
    pub max_step: Option<f64>,
    /// `max_internal_steps`.
    pub max_internal_steps: Option<i32>,
    /// `solver_parameters`: the last variables are those of [`SolverParameters`](crate::cosim::SolverParameters).
    pub solver_parameters: bool,
    /// `solver_statistics`: the last variables, before those of `solver_parameters`, are those of
    /// [`SolverStatistics`](crate::cosim::SolverStatistics).
    pub solver_statistics: bool,
    /// `log_categories`: name and description.
    pub log_categories: &'static [(&'static str, &'static str)],
}

/// The author's own continuous functions, without those of the parts. Implemented by `#[equations]`.
pub trait OwnEquations<S: Scalar>: Groups {
    /// Length of the array that `fn event_indicators` returns.
    const OWN_EVENT_INDICATORS: usize;
    /// What the author's functions read of values that exploration cannot try one by one.
    fn own_usages() -> &'static Usages {
        (ModelUsages::NONE.own)()
    }
    /// `fn calculated`.
    fn own_calculated(&self) -> Result<Self::Calculated, ModelError>;
    /// `fn initial`.
    fn own_initial(&self, t: S) -> Result<Self::Initial, ModelError>;
    /// `fn connections`.
    fn own_connections(&self, t: S) -> Result<Self::Connections, ModelError>;
    /// `fn locals`.
    fn own_locals(&self, t: S) -> Result<Self::Locals, ModelError>;
    /// `fn derivatives`.
    fn own_derivatives(&self, t: S) -> Result<Self::Derivatives, ModelError>;
    /// `fn outputs`.
    fn own_outputs(&self, t: S) -> Result<Self::Outputs, ModelError>;
    /// `fn residuals`.
    fn own_residuals(&self, t: S) -> Result<Self::Residuals, ModelError>;
    /// `fn event_indicators`.
    fn own_event_indicators(&self, t: S, z: &mut [S]) -> Result<(), ModelError>;
}

/// When a sampled function runs: at the start of the simulation + `offset` + k `period`, k = 0, 1, 2 and so on.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// The name of the function.
    pub function: &'static str,
    /// Time between two samples; not a number if neither the function nor the part that has it declares one.
    pub period: f64,
    /// Time from the start of the simulation to the first sample.
    pub offset: f64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            function: "",
            period: f64::NAN,
            offset: 0.0,
        }
    }
}

/// The author's own discrete functions, without those of the parts. Implemented by `#[equations]`.
pub trait OwnDiscrete {
    /// The author wrote `fn event`.
    const OWN_EVENT: bool;
    /// The author wrote `fn next_event_time`.
    const OWN_TIME_EVENTS: bool;
    /// The author wrote `fn completed_step`.
    const OWN_COMPLETED_STEP: bool;
    /// The author wrote `fn instantiate`.
    const OWN_INSTANTIATE: bool;
    /// Number of the author's functions with `#[sampled]`.
    const OWN_CLOCKS: usize = 0;
    /// The author's `fn event` has conditions of `rising` and `falling`.
    const OWN_EDGES: bool = false;
    /// Which of them hold, one bit each.
    fn own_edges(&self, _t: f64) -> u64 {
        0
    }
    /// When a sampled function runs.
    fn own_sampling(&self, _clock: usize) -> Sampling {
        Sampling::default()
    }
    /// Runs a sampled function.
    fn own_tick(&mut self, _clock: usize, _at: Event) -> Result<(), ModelError> {
        Ok(())
    }
    /// `fn event`.
    fn own_event(&mut self, at: Event) -> Result<Next, ModelError>;
    /// `fn next_event_time`.
    fn own_next_event_time(&self, t: f64) -> Result<Option<f64>, ModelError>;
    /// `fn completed_step`.
    fn own_completed_step(&mut self, t: f64) -> Result<bool, ModelError>;
    /// `fn instantiate`.
    fn own_instantiate(&mut self, resources: &Path) -> Result<(), ModelError>;
}

/// The continuous equations of a model and all its parts, for every scalar. Implemented by `#[model]`.
///
/// Order of evaluation: calculated parameters, initial equations, locals, and then, in any order, derivatives,
/// outputs and event indicators, each of which reads what went before from the fields. The implicit unknowns are fields
/// like states here: the evaluation finds the values at which all residuals are zero.
pub trait Equations<S: Scalar>: Structure<S> {
    /// Number of event indicators.
    const EVENT_INDICATORS: usize;
    /// Some variable is determined by initial equations.
    const HAS_INITIAL: bool;
    /// What the functions of the model and of its parts read of values that exploration cannot try one by one.
    #[doc(hidden)]
    fn usages() -> ModelUsages {
        ModelUsages::NONE
    }
    /// Evaluates and stores the calculated parameters.
    fn update_calculated(&mut self) -> Result<(), ModelError>;
    /// Evaluates and stores what initial equations determine.
    fn update_initial(&mut self, t: S) -> Result<(), ModelError>;
    /// Evaluates and stores the local variables, and everything of the parts: connections, locals, outputs.
    fn update_locals(&mut self, t: S) -> Result<(), ModelError>;
    /// Evaluates and stores the model's own outputs; locals and parts are up to date.
    fn update_outputs(&mut self, t: S) -> Result<(), ModelError>;
    /// Evaluates the state derivatives into `dx`; locals are up to date.
    fn eval_derivatives(&self, t: S, dx: &mut [S]) -> Result<(), ModelError>;
    /// Evaluates the residuals of the implicit unknowns into `r`; locals and outputs are up to date.
    fn eval_residuals(&self, t: S, r: &mut [S]) -> Result<(), ModelError>;
    /// Evaluates the event indicators into `z`; locals are up to date.
    fn eval_event_indicators(&self, t: S, z: &mut [S]) -> Result<(), ModelError>;
}

/// The discrete side of a model and all its parts: plain `f64` code that runs at events.
/// Implemented by `#[model]`.
pub trait Discrete {
    /// The model or a part has `fn event`.
    const HAS_EVENT: bool;
    /// The model or a part has `fn next_event_time`.
    const HAS_TIME_EVENTS: bool;
    /// The model or a part has `fn completed_step`.
    const HAS_COMPLETED_STEP: bool;
    /// The model or a part has `fn instantiate`, so resources are read.
    const HAS_INSTANTIATE: bool;
    /// Number of sampled functions: those of the parts, then the model's own, each in the order of its declaration.
    const CLOCKS: usize = 0;
    /// When a sampled function runs.
    fn sampling(&self, _clock: usize) -> Sampling {
        Sampling::default()
    }
    /// Runs a sampled function.
    fn on_tick(&mut self, _clock: usize, _at: Event) -> Result<(), ModelError> {
        Ok(())
    }
    /// One pass of the event iteration.
    ///
    /// `held` are the conditions of `rising` and `falling` that held before, one word per model that has any: the parts,
    /// then the model itself.
    fn on_event(&mut self, at: Event, held: &[u64]) -> Result<Next, ModelError>;
    /// Number of these words.
    const EDGES: usize = 0;
    /// Which conditions hold now.
    fn edges(&self, _t: f64, _held: &mut [u64]) {}
    /// Next time event.
    fn upcoming_event_time(&self, t: f64) -> Result<Option<f64>, ModelError>;
    /// After an accepted integrator step; true asks for an event.
    fn on_completed_step(&mut self, t: f64) -> Result<bool, ModelError>;
    /// Fills internal fields when the model comes into being.
    fn on_instantiate(&mut self, resources: &Path) -> Result<(), ModelError>;
}

/// The same struct over another scalar. Implemented by `#[model]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part: it is not a model",
    label = "put `#[model]` on the struct, or mark this field `#[internal]`"
)]
pub trait Lift {
    /// The struct over `S`.
    type Of<S: Scalar>: Structure<S> + Clone;
    /// Copies every value as a constant of `S`; internal fields are cloned.
    fn lift<S: Scalar>(&self) -> Self::Of<S>;
    /// Copies every value into a model that was lifted before; its internal fields stay.
    fn lift_values<S: Scalar>(&self, target: &mut Self::Of<S>);
}

/// A complete model: what can be simulated, and exported as an FMU. `Default` holds the start values.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has no equations",
    label = "write `#[equations] impl Model for ... {{ }}` beside the struct"
)]
pub trait Model:
    Structure<f64> + Equations<f64> + Discrete + Describe + Default + Clone + Send + 'static
{
    /// The model over `S`.
    type Lifted<S: Scalar>: Structure<S> + Equations<S>
    where
        for<'a> &'a S: ScalarRef<S>;
    /// Copies every value as a constant of `S`; internal fields are cloned.
    fn lifted<S: Scalar>(&self) -> Self::Lifted<S>
    where
        for<'a> &'a S: ScalarRef<S>;
    /// Copies every value into a model that was lifted before; its internal fields stay.
    fn lift_values_into<S: Scalar>(&self, target: &mut Self::Lifted<S>)
    where
        for<'a> &'a S: ScalarRef<S>;
}
