//! What a model is, without a word of FMI: the traits that `#[model]` and `#[equations]` implement and that
//! everything else in this crate is written against. A model author never names them.

use crate::describe::Describer;
use crate::scalar::Scalar;
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
}

impl Counts {
    /// Element-wise sum: a model counts its own variables and those of its parts.
    pub const fn plus(self, other: Counts) -> Counts {
        Counts {
            reals: self.reals + other.reals,
            integers: self.integers + other.integers,
            booleans: self.booleans + other.booleans,
            strings: self.strings + other.strings,
            states: self.states + other.states,
        }
    }
}

/// The variables of a model as numbered slots, and the groups of values its equations return.
/// Implemented by `#[model]` for every scalar.
///
/// A slot is the position among the variables of one base type, in declaration order, arrays row by row,
/// parts in place. Callers keep slots below [`Structure::COUNTS`].
pub trait Structure<S: Scalar>: Sized {
    /// Number of slots.
    const COUNTS: Counts;
    /// One value a state: what `fn derivatives` returns.
    type Derivatives;
    /// One value a local variable: what `fn locals` returns.
    type Locals;
    /// One value an output that is not also a state, local, discrete or constant: what `fn outputs` returns.
    type Outputs;
    /// One value a calculated parameter: what `fn calculated` returns.
    type Calculated;
    /// One value a state or discrete variable that initial equations determine: what `fn initial` returns.
    type Initial;

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
    /// Copies derivatives to `dx`, in the order of the states.
    fn flatten_derivatives(derivatives: &Self::Derivatives, dx: &mut [S]);
    /// Stores evaluated locals in their fields.
    fn store_locals(&mut self, values: Self::Locals);
    /// Stores evaluated outputs in their fields.
    fn store_outputs(&mut self, values: Self::Outputs);
    /// Stores calculated parameters in their fields.
    fn store_calculated(&mut self, values: Self::Calculated);
    /// Stores the results of initial equations in their fields.
    fn store_initial(&mut self, values: Self::Initial);
}

/// The static facts of a model: its variables with everything that the model description says of them.
/// Implemented by `#[model]`.
pub trait Describe {
    /// Tells `describer` every variable, in declaration order. `self` holds the start values.
    fn describe(&self, describer: &mut Describer);
    /// The attributes of `#[model(...)]`.
    fn about() -> About;
}

/// The attributes of `#[model(...)]`, and the doc comment of the struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Name of the model: the struct's, unless `name = "..."` says otherwise.
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
    /// `log_categories`: name and description.
    pub log_categories: &'static [(&'static str, &'static str)],
}

/// The continuous equations, for every scalar. Implemented by `#[equations]`, which calls the author's functions.
pub trait Equations<S: Scalar>: Structure<S> {
    /// Length of the array that `fn event_indicators` returns.
    const EVENT_INDICATORS: usize;
    /// Calculated parameters.
    fn eval_calculated(&self) -> Result<Self::Calculated, ModelError>;
    /// Initial equations.
    fn eval_initial(&self, t: S) -> Result<Self::Initial, ModelError>;
    /// Local variables.
    fn eval_locals(&self, t: S) -> Result<Self::Locals, ModelError>;
    /// State derivatives; locals are up to date.
    fn eval_derivatives(&self, t: S) -> Result<Self::Derivatives, ModelError>;
    /// Outputs; locals are up to date.
    fn eval_outputs(&self, t: S) -> Result<Self::Outputs, ModelError>;
    /// Event indicators; locals are up to date.
    fn eval_event_indicators(&self, t: S, z: &mut [S]) -> Result<(), ModelError>;
}

/// The discrete side of a model: plain `f64` code that runs at events. Implemented by `#[equations]`.
pub trait Discrete {
    /// The author wrote `fn event`.
    const HAS_EVENT: bool;
    /// The author wrote `fn next_event_time`.
    const HAS_TIME_EVENTS: bool;
    /// The author wrote `fn completed_step`.
    const HAS_COMPLETED_STEP: bool;
    /// The author wrote `fn instantiate`, so resources are read.
    const HAS_INSTANTIATE: bool;
    /// One pass of the event iteration.
    fn on_event(&mut self, at: Event) -> Result<Next, ModelError>;
    /// Next time event after `t`.
    fn upcoming_event_time(&self, t: f64) -> Result<Option<f64>, ModelError>;
    /// After an accepted integrator step; true asks for an event.
    fn on_completed_step(&mut self, t: f64) -> Result<bool, ModelError>;
    /// Fills internal fields when the model comes into being.
    fn on_instantiate(&mut self, resources: &Path) -> Result<(), ModelError>;
}

/// The same struct over another scalar. Implemented by `#[model]`; parts need no more.
pub trait Lift {
    /// The struct over `S`.
    type Of<S: Scalar>: Structure<S>;
    /// Copies every value as a constant of `S`; internal fields are cloned.
    fn lift<S: Scalar>(&self) -> Self::Of<S>;
}

/// A complete model: what can be simulated, and exported as an FMU. `Default` holds the start values.
pub trait Model: Structure<f64> + Equations<f64> + Discrete + Describe + Default + Clone + Send + 'static {
    /// The model over `S`.
    type Lifted<S: Scalar>: Structure<S> + Equations<S>;
    /// Copies every value as a constant of `S`; internal fields are cloned.
    fn lifted<S: Scalar>(&self) -> Self::Lifted<S>;
}
