//! What surrounds a model in a simulation that is not an FMU.

use crate::ModelError;
use crate::evaluator::Evaluator;
use crate::model::Model;

/// Signals at the inputs of a model, and an observer of its steps. An FMU has `()`, which does nothing and costs nothing.
pub trait Environment<M: Model> {
    /// Whether the functions of this trait do anything.
    const IS_PRESENT: bool;

    /// Brings inputs to where they are at `t`.
    fn apply(&mut self, evaluator: &mut Evaluator<M>, t: f64);

    /// Calls `put` with the slot and the first derivative of each Real input that moves at `t`.
    fn velocities(&self, t: f64, put: &mut dyn FnMut(usize, f64));

    /// The model has reached a point: the end of an internal step, or an event.
    fn reached(&mut self, evaluator: &mut Evaluator<M>, point: Point) -> Result<(), ModelError>;
}

/// Where a simulation is when its [`Environment`] looks at the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// At the end of an internal step, where nothing happens.
    Step,
    /// At the end of an internal step, before an event.
    BeforeEvent,
    /// After an event.
    AfterEvent,
}

impl<M: Model> Environment<M> for () {
    const IS_PRESENT: bool = false;

    #[inline(always)]
    fn apply(&mut self, _evaluator: &mut Evaluator<M>, _t: f64) {}

    #[inline(always)]
    fn velocities(&self, _t: f64, _put: &mut dyn FnMut(usize, f64)) {}

    #[inline(always)]
    fn reached(&mut self, _evaluator: &mut Evaluator<M>, _point: Point) -> Result<(), ModelError> {
        Ok(())
    }
}
