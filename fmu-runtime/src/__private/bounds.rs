//! What generated code asks of the types that an author puts into fields.
//!
//! Every generated impl needs it (a part is a model, an enum an enumeration, internal data can be cloned), and every one
//! of them would report its absence. So the impls ask in a form that rustc leaves open until they are used: a bound
//! with a lifetime, `for<'a> Motor: Part<'a>`. Then one line, at the type in the author's struct, asks for all of them.

use super::hidden::ModelUsages;
use crate::ModelError;
use crate::describe::{Enumeration, FieldValue};
use crate::model::{Describe, Discrete, Lift};
use crate::scalar::{Scalar, ScalarRef};

/// A model that is a part of another one.
pub trait Part<'a>: Lift<Of<f64> = Self> + Describe + Default {}
impl<M: Lift<Of<f64> = M> + Describe + Default> Part<'_> for M {}

/// A part that has equations.
pub trait Complete<'a>: PartEquations + Discrete {}
impl<M: PartEquations + Discrete> Complete<'_> for M {}

/// The equations of a part, for every scalar at once: [`Equations`](crate::model::Equations) of `Self::Of<S>`, whatever
/// `S` is. Implemented by `#[equations]`.
pub trait PartEquations: Lift {
    /// Number of event indicators.
    const EVENT_INDICATORS: usize;
    /// Some variable is determined by initial equations.
    const HAS_INITIAL: bool;
    /// What the functions of the part read of values that exploration cannot try one by one.
    fn usages() -> ModelUsages;
    /// Evaluates and stores the calculated parameters.
    fn update_calculated<S: Scalar>(part: &mut Self::Of<S>) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates and stores what initial equations determine.
    fn update_initial<S: Scalar>(part: &mut Self::Of<S>, t: S) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates and stores the local variables, and everything of the parts.
    fn update_locals<S: Scalar>(part: &mut Self::Of<S>, t: S) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates and stores the outputs.
    fn update_outputs<S: Scalar>(part: &mut Self::Of<S>, t: S) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates the state derivatives.
    fn eval_derivatives<S: Scalar>(part: &Self::Of<S>, t: S, dx: &mut [S]) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates the residuals of the implicit unknowns.
    fn eval_residuals<S: Scalar>(part: &Self::Of<S>, t: S, r: &mut [S]) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
    /// Evaluates the event indicators.
    fn eval_event_indicators<S: Scalar>(part: &Self::Of<S>, t: S, z: &mut [S]) -> Result<(), ModelError>
    where
        for<'b> &'b S: ScalarRef<S>;
}

/// The type of a variable with named values.
pub trait Choice<'a>: Enumeration + FieldValue {}
impl<E: Enumeration + FieldValue> Choice<'_> for E {}

/// The type of an internal field.
pub trait Internal<'a>: Clone + Send + 'static {}
impl<T: Clone + Send + 'static> Internal<'_> for T {}

/// A snapshot of an FMU.
pub struct Snapshot;

/// An internal field is part of every snapshot.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be in an internal field: a snapshot of the FMU copies it",
    label = "derive `Clone` for it, or put it into an `Arc`"
)]
pub trait Holds<T> {
    /// For generated code to name.
    const ASKED: () = ();
}
#[diagnostic::do_not_recommend]
impl<T: Clone> Holds<T> for Snapshot {}

/// An instance goes from thread to thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in an internal field: an FMU may be called from any thread",
    label = "use types that are `Send`: `Arc` instead of `Rc`, `Mutex` instead of `RefCell` behind it"
)]
pub trait Sendable {
    /// For generated code to name.
    const ASKED: () = ();
}
#[diagnostic::do_not_recommend]
impl<T: Send> Sendable for T {}

/// An internal field without `default = ...` starts as its type's default.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default to begin with",
    label = "write `#[internal(default = ...)]`, or implement `Default` for it"
)]
pub trait Fresh: Sized {
    /// The default.
    fn fresh() -> Self;
}
#[diagnostic::do_not_recommend]
impl<T: Default> Fresh for T {
    fn fresh() -> T {
        T::default()
    }
}
