//! What a solver over all components needs of one: equations and events, as Model Exchange has them, with partial
//! derivatives.

use fmu_importer::{CompletedStep, EventInfo};
use fmu_numerics::Pattern;

use super::{Component, ComponentError};

/// Equations of a component: `x' = f(t, x, u)`, `y = g(t, x, u)`, with events.
///
/// An FMU for Model Exchange, a model in Rust, or a coupling equation, which has no states.
pub trait ModelExchange: Component {
    /// Says which inputs and outputs take part in the coupling, by their positions in
    /// [`Variables`](super::Variables): inputs are these from here on, in this order. Returns where the partial derivatives of
    /// the states' derivatives and of these outputs (rows) by the states and these inputs (columns) may differ from zero.
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, ComponentError>;

    /// Sets the time.
    fn set_time(&mut self, time: f64) -> Result<(), ComponentError>;

    /// Sets the continuous states.
    fn set_states(&mut self, x: &[f64]) -> Result<(), ComponentError>;

    /// The continuous states.
    fn states(&mut self, x: &mut [f64]) -> Result<(), ComponentError>;

    /// The derivatives of the states.
    fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), ComponentError>;

    /// Sets time, states and inputs, and gets the derivatives of the states: the four in one call, because that is what a
    /// solver asks for all the time.
    fn evaluate(&mut self, time: f64, x: &[f64], u: &[f64], dx: &mut [f64]) -> Result<(), ComponentError> {
        self.set_time(time)?;
        self.set_states(x)?;
        self.set_inputs(u)?;
        match dx.is_empty() {
            true => Ok(()),
            false => self.derivatives(dx),
        }
    }

    /// Some outputs, by their positions in [`Variables`](super::Variables).
    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), ComponentError>;

    /// The entries of the matrix whose pattern [`ModelExchange::couple`] returned, in the order of the pattern. States are
    /// `x` and inputs are `u`, before and afterwards.
    fn partials(&mut self, x: &[f64], u: &[f64], values: &mut [f64]) -> Result<(), ComponentError>;

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
    fn nominals(&mut self, sizes: &mut [f64]) -> Result<(), ComponentError> {
        sizes.fill(1.0);
        Ok(())
    }

    /// How many event indicators it has.
    fn number_of_event_indicators(&self) -> usize {
        0
    }

    /// The event indicators.
    fn event_indicators(&mut self, _z: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    /// Whether [`ModelExchange::completed_step`] has to be called after every step of the solver.
    fn needs_completed_steps(&self) -> bool {
        false
    }

    /// A step of the solver ends here.
    fn completed_step(&mut self) -> Result<CompletedStep, ComponentError> {
        Ok(CompletedStep::default())
    }

    /// From continuous time to an event.
    fn enter_event_mode(&mut self) -> Result<(), ComponentError> {
        Ok(())
    }

    /// One pass of the event iteration.
    fn new_discrete_states(&mut self) -> Result<EventInfo, ComponentError> {
        Ok(EventInfo::default())
    }

    /// From an event to continuous time.
    fn enter_continuous_time_mode(&mut self) -> Result<(), ComponentError> {
        Ok(())
    }
}
