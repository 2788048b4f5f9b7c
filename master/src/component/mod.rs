//! A component of a coupled system: one trait, whatever is behind it (an FMU, an FMU in another process, a model in Rust, a
//! coupling equation), and one view per way to advance it.
//!
//! | trait | what for |
//! |---|---|
//! | [`Component`] | what every component has: capabilities, variables, inputs, values of all types, initialization, messages |
//! | [`Stepping`] | communication steps, as Co-Simulation has them, with snapshots and derivatives |
//! | [`ModelExchange`] | equations and events, as Model Exchange has them, with partial derivatives |
//!
//! A component is asked for a view once, before it is initialized ([`Component::into_stepping`],
//! [`Component::into_model_exchange`]); a call in a step is then one virtual call.

mod capabilities;
mod co_simulation;
mod model_exchange;
mod stepping;

pub use capabilities::{Capabilities, State, Variables};
pub use co_simulation::CoSimulationFmu;
pub(crate) use co_simulation::{Curves, describe, feeds_through};
use fmu_importer::{BaseType, Instance, Value};
pub use model_exchange::ModelExchange;
pub use stepping::{Outcome, RefusedDerivatives, Stepping};

/// An error of a component, in its own words.
pub type ComponentError = Box<dyn std::error::Error + Send + Sync>;

/// A component of a coupled system.
///
/// Its inputs and outputs are the Real variables that take part in the coupling, in a fixed order. Functions are called in
/// the order of FMI 2.0.5, 3.2.3 and 4.2.4.
pub trait Component: Send {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Itself as a component that makes communication steps; `None` if it cannot.
    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        None
    }

    /// Itself as equations for a solver; `None` if it has none.
    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        None
    }

    /// What its variables are; by default all are continuous, without names and without states that can be read.
    fn variables(&self) -> Variables {
        Variables::default()
    }

    /// Sets all coupled inputs.
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError>;

    /// The type and value reference of a variable, by its name.
    fn find_variable(&self, _name: &str) -> Option<(BaseType, u32)> {
        None
    }

    /// The value of a variable of any type, by its value reference.
    fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, ComponentError> {
        Err(format!("it has no {base_type} with value reference {value_reference}").into())
    }

    /// Sets a variable of any type that changes at events only, by its value reference.
    fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), ComponentError> {
        let base_type = value.base_type();
        Err(format!("it has no {base_type} with value reference {value_reference}").into())
    }

    /// Begins initialization at a start time.
    fn enter_initialization(
        &mut self,
        start: f64,
        stop: f64,
        tolerance: Option<f64>,
    ) -> Result<(), ComponentError> {
        let _ = (start, stop, tolerance);
        Ok(())
    }

    /// Ends initialization.
    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        Ok(())
    }

    /// What a person should know of its initialization, as sentences.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many of its calls returned `fmi2Warning` so far.
    fn warned(&self) -> u64 {
        0
    }

    /// The first of these calls, with what it logged.
    fn first_warning(&self) -> Option<&str> {
        None
    }

    /// Ends the simulation.
    fn terminate(&mut self) -> Result<(), ComponentError> {
        Ok(())
    }

    /// The instance, for what is beyond coupling; `None` if it is not an FMU.
    fn as_fmu(&mut self) -> Option<&mut Instance> {
        None
    }
}
