//! What a master needs of a component: values in, a step, values out, and the way back.

use std::error::Error;

use fmu_importer::{BaseType, InputDerivatives, Instance, Value};

use crate::stabilize::Linear;

/// An error of a component, in its own words.
pub type SlaveError = Box<dyn Error + Send + Sync>;

/// A component refuses derivatives of its inputs, although it can interpolate inputs.
#[derive(Debug, thiserror::Error)]
#[error("it refuses derivatives of its inputs of order {order}: {source}")]
pub struct RefusedDerivatives {
    /// Their order.
    pub order: u32,
    /// In its own words.
    pub source: SlaveError,
}

/// What a component can do beside stepping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It can go back to a time that it has left.
    pub snapshots: bool,
    /// Derivatives of its inputs that it follows inside a step: the highest order, 0 for none.
    pub input_derivatives: u32,
    /// Derivatives of its outputs by time that it tells: the highest order, 0 for none.
    pub output_derivatives: u32,
    /// It tells how its outputs depend on its inputs at a communication point.
    pub directional_derivatives: bool,
    /// After new inputs it tells the outputs that belong to them, without a step.
    pub outputs_follow_inputs: bool,
    /// Its steps may be of any size.
    pub variable_step: bool,
    /// Its snapshots cost little and work: they are taken from the start of a run that can repeat steps, so that a
    /// discarded step can be repeated at once.
    pub cheap_snapshots: bool,
    /// It has a linear model ([`Slave::linearize`]), and its inputs can be states of its integration: the number of its own
    /// states.
    pub states: Option<usize>,
}

/// What a master knows of the variables of a component beside their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variables {
    /// Inputs, by their numbers, that are discrete: they are held over a step, and have no derivatives.
    pub discrete_inputs: Vec<usize>,
    /// Outputs, by their numbers, that are discrete: error control does not measure them.
    pub discrete_outputs: Vec<usize>,
    /// Outputs, by their numbers, that are continuous states.
    pub state_outputs: Vec<usize>,
    /// Continuous states that are not outputs and can be read at communication points.
    pub states: Vec<State>,
}

/// A continuous state that can be read at communication points.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name in the component.
    pub name: String,
    /// Its usual size.
    pub nominal: f64,
}

/// How a communication step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It reached its end.
    Done,
    /// It went no further than this.
    Discarded {
        /// The last time that it reached, if it says so.
        reached: Option<f64>,
    },
    /// It wants the simulation to end here.
    Terminated {
        /// The time, if it says so.
        reached: Option<f64>,
    },
}

/// A component of a coupled system: an FMU, or a model that behaves like one.
///
/// Inputs and outputs are the Real variables that take part in the coupling, in a fixed order.
pub trait Slave: Send {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;
    /// What its variables are; by default all are continuous, and it has no readable states.
    fn variables(&self) -> Variables {
        Variables::default()
    }
    /// Gets the values of [`Variables::states`].
    fn states(&mut self, x: &mut [f64]) -> Result<(), SlaveError> {
        match x.is_empty() {
            true => Ok(()),
            false => Err("its states cannot be read".into()),
        }
    }
    /// Sets all inputs.
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), SlaveError>;
    /// Sets the derivatives by time of all inputs, of one order.
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), SlaveError>;
    /// Gets all outputs.
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), SlaveError>;
    /// Gets the derivatives by time of all outputs, of one order.
    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), SlaveError>;
    /// How each output changes with each input at the present time: a row an output.
    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), SlaveError>;
    /// Makes a communication step. `final_` promises that no snapshot of a time before `t` will be restored
    /// (`noSetFMUStatePriorToCurrentPoint`); the step itself may be repeated from its beginning.
    fn step(&mut self, t: f64, h: f64, final_: bool) -> Result<Outcome, SlaveError>;
    /// The next time after `t` at which it samples its inputs or has another event that it knows beforehand; none if it has
    /// none, or does not say so. Error control ends steps there.
    fn next_event(&mut self, t: f64) -> Option<f64> {
        let _ = t;
        None
    }
    /// The relative error that its own integrator may leave in each of the steps to come, if it can take that.
    fn tolerate(&mut self, tolerance: f64) {
        let _ = tolerance;
    }
    /// Sets all inputs, makes a step and, if it comes to its end, gets all outputs: the three in one call, because that is
    /// what a master does all the time.
    fn advance(
        &mut self,
        u: &[f64],
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, SlaveError> {
        self.set_inputs(u)?;
        let outcome = self.step(t, h, final_)?;
        if outcome == Outcome::Done {
            self.outputs(y)?;
        }
        Ok(outcome)
    }
    /// Remembers the present state in a place of that number.
    fn save(&mut self, place: usize) -> Result<(), SlaveError>;
    /// Goes back to what was saved there.
    fn restore(&mut self, place: usize) -> Result<(), SlaveError>;
    /// States, their derivatives, and how these and the outputs change, at the present time.
    fn linearize(&mut self, linear: &mut Linear) -> Result<(), SlaveError> {
        let _ = linear;
        Err("it has no linear model".into())
    }
    /// A linear model between initialization and the first step, where it can be had without a risk for the run: the values
    /// of states and their derivatives may be missing. Differences take more evaluations than directional derivatives.
    fn partials(&mut self, differences: bool) -> Option<Linear> {
        let _ = differences;
        None
    }
    /// Makes all inputs that are curves states of its integration, driven by this; held inputs are passed as NaN. Comes
    /// before initialization.
    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), SlaveError> {
        let _ = derivatives;
        Err("its inputs cannot be states of its integration".into())
    }
    /// A discrete output, by its type and value reference.
    fn discrete(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, SlaveError> {
        Err(format!("it has no {base_type} with value reference {value_reference}").into())
    }
    /// Sets a discrete input, by its value reference.
    fn set_discrete(&mut self, value_reference: u32, value: &Value) -> Result<(), SlaveError> {
        let base_type = value.base_type();
        Err(format!("it has no {base_type} with value reference {value_reference}").into())
    }
    /// Begins initialization at time `t`.
    fn enter_initialization(&mut self, t: f64, stop: f64, tolerance: Option<f64>) -> Result<(), SlaveError>;
    /// Ends initialization.
    fn exit_initialization(&mut self) -> Result<(), SlaveError>;
    /// What a person should know of its initialization, as sentences.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    /// How many of its calls returned `fmi2Warning` so far.
    fn warned(&self) -> u64 {
        0
    }
    /// Ends the simulation.
    fn terminate(&mut self) -> Result<(), SlaveError>;
    /// The instance, for what is beyond coupling; none if it is not an FMU.
    fn as_fmu(&mut self) -> Option<&mut Instance> {
        None
    }
}
