//! What a master needs of a component that steps: values in, a step, values out, and the way back.

use fmu_importer::InputDerivatives;

use super::{Component, ComponentError};
use crate::stabilize::Linear;

/// A component refuses derivatives of its inputs, although it can interpolate inputs.
#[derive(Debug, thiserror::Error)]
#[error("it refuses derivatives of its inputs of order {order}: {source}")]
pub struct RefusedDerivatives {
    /// Their order.
    pub order: u32,
    /// In its own words.
    pub source: ComponentError,
}

/// How a communication step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It reached its end.
    Done,
    /// It went no further than this.
    Discarded {
        /// The last time that it reached, if it reports one.
        reached: Option<f64>,
    },
    /// It wants the simulation to end here.
    Terminated {
        /// The time, if it reports one.
        reached: Option<f64>,
    },
}

/// A component that makes communication steps.
pub trait Stepping: Component {
    /// Gets the values of [`Variables::inner_states`](super::Variables::inner_states).
    fn inner_states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        match x.is_empty() {
            true => Ok(()),
            false => Err("its states cannot be read".into()),
        }
    }

    /// Sets the derivatives by time of all inputs, of one order. It is called up to the order of
    /// [`Capabilities::input_derivatives`](super::Capabilities::input_derivatives).
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        let _ = du;
        Err(format!("it has no derivatives of inputs of order {order}").into())
    }

    /// Gets all outputs.
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError>;

    /// Gets the derivatives by time of all outputs, of one order. It is called up to the order of
    /// [`Capabilities::output_derivatives`](super::Capabilities::output_derivatives).
    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        let _ = dy;
        Err(format!("it has no derivatives of outputs of order {order}").into())
    }

    /// How each output changes with each input at the present time: one row per output.
    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError>;

    /// Makes a communication step. `final_` promises that no snapshot of a time before `t` will be restored
    /// (`noSetFMUStatePriorToCurrentPoint`); the step itself may be repeated from its beginning.
    fn step(&mut self, t: f64, h: f64, final_: bool) -> Result<Outcome, ComponentError>;

    /// Sets all inputs, makes a step and, if it comes to its end, gets all outputs: the three in one call, because that is
    /// what a master does all the time.
    fn advance(
        &mut self,
        u: &[f64],
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        self.set_inputs(u)?;
        let outcome = self.step(t, h, final_)?;
        if outcome == Outcome::Done {
            self.outputs(y)?;
        }
        Ok(outcome)
    }

    /// The next time after `t` at which it samples its inputs or has another event that it knows beforehand; `None` if it
    /// has none, or does not report it. Error control ends steps there.
    fn next_event(&mut self, t: f64) -> Option<f64> {
        let _ = t;
        None
    }

    /// The relative error that its own integrator may leave in each of the steps to come, if it can take that.
    fn tolerate(&mut self, tolerance: f64) {
        let _ = tolerance;
    }

    /// Remembers the present state in a place of that number.
    fn save(&mut self, place: usize) -> Result<(), ComponentError>;

    /// Goes back to what was saved there.
    fn restore(&mut self, place: usize) -> Result<(), ComponentError>;

    /// States, their derivatives, and how these and the outputs change, at the present time.
    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        let _ = linear;
        Err("it has no linear model".into())
    }

    /// A linear model between initialization and the first step, where it can be had without a risk for the run: the values
    /// of states and their derivatives may be missing. Differences take more evaluations than directional derivatives.
    fn linear_at_start(&mut self, differences: bool) -> Option<Linear> {
        let _ = differences;
        None
    }

    /// Makes all inputs that are curves states of its integration, driven by this; held inputs are passed as NaN. Comes
    /// before initialization.
    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        let _ = derivatives;
        Err("its inputs cannot be states of its integration".into())
    }
}
