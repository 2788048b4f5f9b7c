//! What an aggregate needs of a component: equations and events, as Model Exchange has them, with partial derivatives.

use fmu_importer::{BaseType, CompletedStep, EventInfo, Value};
use fmu_numerics::Pattern;

use crate::slave::SlaveError;

/// The variables of a component that a coupling may name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Continuous states, in their order.
    pub states: Vec<String>,
    /// Real inputs, each with its start value.
    pub inputs: Vec<(String, f64)>,
    /// Real outputs, each with its usual size.
    pub outputs: Vec<(String, f64)>,
}

/// A component of an aggregate: `x' = f(t, x, u)`, `y = g(t, x, u)`, with events.
///
/// An FMU for Model Exchange, a model in Rust, or a coupling equation, which has no states. Functions are called in the
/// order of FMI 2.0.5, 3.2.3.
pub trait Component {
    /// Its variables.
    fn names(&self) -> Names;

    /// Whether a Real input, by its position in [`Names`], changes at events only: its variability is not `continuous`.
    fn is_discrete_input(&self, _input: usize) -> bool {
        false
    }

    /// Whether a Real output, by its position in [`Names`], changes at events only.
    fn is_discrete_output(&self, _output: usize) -> bool {
        false
    }

    /// The state that an output is, both by their positions in [`Names`], if it is one: nobody has to ask for its value.
    fn state_of_output(&self, _output: usize) -> Option<usize> {
        None
    }

    /// Says which inputs and outputs take part in the coupling, by their positions in [`Names`]: inputs are these from here
    /// on, in this order. Answers where the partial derivatives of the states' derivatives and of these outputs (rows) by
    /// the states and these inputs (columns) may differ from zero.
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, SlaveError>;

    /// Begins initialization.
    fn enter_initialization(&mut self, start: f64, stop: f64, tolerance: f64) -> Result<(), SlaveError>;

    /// Ends initialization; the first event comes next.
    fn exit_initialization(&mut self) -> Result<(), SlaveError>;

    /// Sets the time.
    fn set_time(&mut self, time: f64) -> Result<(), SlaveError>;

    /// Sets the continuous states.
    fn set_states(&mut self, x: &[f64]) -> Result<(), SlaveError>;

    /// Sets the coupled inputs. In continuous time those that change at events only have the values that they had.
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), SlaveError>;

    /// The continuous states.
    fn states(&mut self, x: &mut [f64]) -> Result<(), SlaveError>;

    /// The derivatives of the states.
    fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), SlaveError>;

    /// Sets time, states and inputs, and gets the derivatives of the states: the four in one call, because that is what a
    /// solver asks for all the time.
    fn evaluate(&mut self, time: f64, x: &[f64], u: &[f64], dx: &mut [f64]) -> Result<(), SlaveError> {
        self.set_time(time)?;
        self.set_states(x)?;
        self.set_inputs(u)?;
        match dx.is_empty() {
            true => Ok(()),
            false => self.derivatives(dx),
        }
    }

    /// Some outputs, by their positions in [`Names`].
    fn outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), SlaveError>;

    /// The entries of the matrix that [`Component::couple`] told, in the order of its pattern. States are `x` and inputs
    /// are `u`, and so they are afterwards.
    fn partials(&mut self, x: &[f64], u: &[f64], values: &mut [f64]) -> Result<(), SlaveError>;

    /// Whether partial derivatives are exact, and not differences.
    fn has_exact_partials(&self) -> bool {
        true
    }

    /// How many evaluations all partial derivatives take, if that is less than their pattern says: some may be known.
    fn evaluations_of_partials(&self) -> Option<usize> {
        None
    }

    /// How many evaluations partial derivatives have taken so far.
    fn partial_evaluations(&self) -> usize {
        0
    }

    /// The usual sizes of the states.
    fn nominals(&mut self, sizes: &mut [f64]) -> Result<(), SlaveError> {
        sizes.fill(1.0);
        Ok(())
    }

    /// How many event indicators it has.
    fn number_of_event_indicators(&self) -> usize {
        0
    }

    /// The event indicators.
    fn event_indicators(&mut self, _z: &mut [f64]) -> Result<(), SlaveError> {
        Ok(())
    }

    /// Whether it wants to be told of every step of the solver.
    fn tells_steps(&self) -> bool {
        false
    }

    /// A step of the solver ends here.
    fn completed_step(&mut self) -> Result<CompletedStep, SlaveError> {
        Ok(CompletedStep::default())
    }

    /// From continuous time to an event.
    fn enter_event_mode(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }

    /// One pass of the event iteration.
    fn new_discrete_states(&mut self) -> Result<EventInfo, SlaveError> {
        Ok(EventInfo::default())
    }

    /// From an event to continuous time.
    fn enter_continuous_time_mode(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }

    /// The type and value reference of a discrete variable, by its name.
    fn discrete_variable(&self, _name: &str) -> Option<(BaseType, u32)> {
        None
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

    /// What a person should know of its initialization, as sentences.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many of its calls returned `fmi2Warning` so far.
    fn warned(&self) -> u64 {
        0
    }

    /// Ends the simulation.
    fn terminate(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }

    /// The FMU that it is, for what is beyond coupling.
    fn as_fmu(&mut self) -> Option<&mut super::FmuModel> {
        None
    }
}
