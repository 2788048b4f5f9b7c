//! What a component can do, and what its variables are.

use crate::settings::setters;

/// What a component can do. Stepping and Model Exchange are asked for by
/// [`Component::into_stepping`](super::Component::into_stepping) and
/// [`Component::into_model_exchange`](super::Component::into_model_exchange).
///
/// ```
/// use fmu_master::component::Capabilities;
///
/// let can = Capabilities::default().snapshots(true).input_derivatives(2);
/// assert!(can.snapshots && can.discards && !can.cheap_snapshots);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// It can go back to a time that it has left.
    pub snapshots: bool,
    /// Its snapshots cost little and work: they are taken from the start of a run that can repeat steps, so that a
    /// discarded step can be repeated at once.
    pub cheap_snapshots: bool,
    /// It may discard a step; by default every component may.
    pub discards: bool,
    /// Its steps may be of any size.
    pub variable_step: bool,
    /// Derivatives of its inputs that it follows inside a step: the highest order, 0 for none.
    pub input_derivatives: u32,
    /// Derivatives of its outputs by time that it reports: the highest order, 0 for none.
    pub output_derivatives: u32,
    /// It reports how its outputs depend on its inputs at a communication point.
    pub directional_derivatives: bool,
    /// After new inputs it reports the outputs that belong to them, without a step.
    pub outputs_follow_inputs: bool,
    /// Its inputs may trigger events in it: it has event indicators. Error control then makes steps in which inputs stay close
    /// to what they were extrapolated to, since a small difference may decide whether and when there is an event.
    pub events_by_inputs: bool,
    /// It has a linear model ([`Stepping::linearize`](super::Stepping::linearize)), and its inputs can be states of its
    /// integration: the number of its own states.
    pub states: Option<usize>,
}

impl Default for Capabilities {
    /// It makes steps of one size, and may discard them.
    fn default() -> Capabilities {
        Capabilities {
            snapshots: false,
            cheap_snapshots: false,
            discards: true,
            variable_step: false,
            input_derivatives: 0,
            output_derivatives: 0,
            directional_derivatives: false,
            outputs_follow_inputs: false,
            events_by_inputs: false,
            states: None,
        }
    }
}

setters!(Capabilities {
    snapshots: bool,
    cheap_snapshots: bool,
    discards: bool,
    variable_step: bool,
    input_derivatives: u32,
    output_derivatives: u32,
    directional_derivatives: bool,
    outputs_follow_inputs: bool,
    events_by_inputs: bool,
    states: impl Into<Option<usize>>,
});

/// The variables of a component: names, for coupling by name, and further properties.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Variables {
    /// Real inputs that can be coupled by name, each with its start value.
    pub inputs: Vec<(String, f64)>,
    /// Real outputs that can be coupled by name, each with its usual size.
    pub outputs: Vec<(String, f64)>,
    /// Inputs, by their numbers, that are discrete: they are held between events, and have no derivatives.
    pub discrete_inputs: Vec<usize>,
    /// Outputs, by their numbers, that are discrete: error control does not measure them.
    pub discrete_outputs: Vec<usize>,
    /// Continuous states, in their order.
    pub states: Vec<State>,
}

setters!(Variables {
    inputs: Vec<(String, f64)>,
    outputs: Vec<(String, f64)>,
    discrete_inputs: Vec<usize>,
    discrete_outputs: Vec<usize>,
    states: Vec<State>,
});

/// A continuous state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Its name in the component.
    pub name: String,
    /// Its usual size.
    pub nominal: f64,
    /// The output that it is, if it is one.
    pub output: Option<usize>,
}

impl State {
    /// A state that is not an output.
    pub fn new(name: impl Into<String>, nominal: f64) -> State {
        State {
            name: name.into(),
            nominal,
            output: None,
        }
    }

    /// The same state, if it is this output.
    #[must_use]
    pub fn output(mut self, output: impl Into<Option<usize>>) -> State {
        self.output = output.into();
        self
    }
}

impl Variables {
    /// The state that an output is, if it is one.
    pub fn state_of_output(&self, output: usize) -> Option<usize> {
        self.states.iter().position(|state| state.output == Some(output))
    }

    /// The states that are not outputs.
    pub fn inner_states(&self) -> impl Iterator<Item = &State> {
        self.states.iter().filter(|state| state.output.is_none())
    }
}
