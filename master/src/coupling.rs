//! The signals between components: which output feeds which input, and by what factor.

use std::ops::Range;

use fmu_importer::{BaseType, Value};

use crate::component::ComponentError;
use crate::graph::{Structure, dependencies_first};

/// Where an input has its value from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// `gain * y + offset` of an output, by its number.
    Output {
        /// The number of the output.
        output: usize,
        /// Factor, a conversion of units included.
        gain: f64,
        /// Added to it.
        offset: f64,
    },
    /// A signal from outside, by its number.
    Signal(usize),
    /// A value that never changes.
    Fixed(f64),
}

/// A discrete output that feeds a discrete input: an Integer, a Boolean or a text, handed over at communication points.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscreteLink {
    /// `component.variable` of the output and of the input.
    pub names: (String, String),
    /// The type of the output.
    pub base_type: BaseType,
    /// The type of the input.
    pub into: BaseType,
    /// Factor, where the input is Real.
    pub gain: f64,
    /// Added to it, where the input is Real.
    pub offset: f64,
    /// What the input is given for each value of the output; empty: the value itself.
    pub map: Vec<(Value, Value)>,
    /// Component and value reference of the output.
    pub from: (usize, u32),
    /// Component and value reference of the input.
    pub to: (usize, u32),
}

impl DiscreteLink {
    /// Whether values of one type can be given to inputs of another: without loss only.
    pub fn converts(from: BaseType, into: BaseType) -> bool {
        use BaseType::{Boolean, Integer, Real};
        from == into || matches!((from, into), (Integer | Boolean, Real) | (Boolean, Integer))
    }

    /// What the input is given for a value of the output; an error, if it is not in the map.
    pub fn given(&self, value: Value) -> Result<Value, ComponentError> {
        let value = match self.map.is_empty() {
            true => value,
            false => {
                let entry = self.map.iter().find(|(from, _)| *from == value);
                let (_, to) = entry.ok_or_else(|| {
                    let (from, to) = &self.names;
                    format!("{from} is {value}, and the mapping to {to} has no entry for that")
                })?;
                to.clone()
            }
        };
        Ok(match (value, self.into) {
            (Value::Integer(number), BaseType::Real) => {
                Value::Real(self.gain * f64::from(number) + self.offset)
            }
            (Value::Boolean(truth), BaseType::Real) => {
                Value::Real(self.gain * f64::from(u8::from(truth)) + self.offset)
            }
            (Value::Boolean(truth), BaseType::Integer) => Value::Integer(truth.into()),
            (value, _) => value,
        })
    }
}

/// A Real input that takes part in the coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// `component.variable`.
    pub name: String,
    /// Where its value is from.
    pub link: Link,
}

/// A Real output that takes part in the coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// `component.variable`.
    pub name: String,
    /// Its usual size.
    pub nominal: f64,
    /// The inputs of its own component that it depends on at the same time, counted among those.
    pub feed_through: Vec<usize>,
}

/// The inputs and outputs of all components, each with a number of its own, and the links between them.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Names of the components.
    pub components: Vec<String>,
    /// All inputs, component by component.
    pub inputs: Vec<Input>,
    /// All outputs, component by component.
    pub outputs: Vec<Output>,
    /// The discrete links.
    pub discrete: Vec<DiscreteLink>,
    inputs_of: Vec<Range<usize>>,
    outputs_of: Vec<Range<usize>>,
    structure: Structure,
}

impl Coupling {
    /// Adds a component with its inputs and outputs.
    pub fn add(&mut self, name: &str, inputs: Vec<Input>, outputs: Vec<Output>) {
        let component = self.components.len();
        self.components.push(name.to_owned());
        let (first_input, first_output) = (self.inputs.len(), self.outputs.len());
        self.inputs_of.push(first_input..first_input + inputs.len());
        self.outputs_of.push(first_output..first_output + outputs.len());
        let structure = &mut self.structure;
        structure.components = component + 1;
        for input in inputs {
            structure.inputs.push(component);
            structure.sources.push(match input.link {
                Link::Output { output, .. } => Some(output),
                Link::Signal(_) | Link::Fixed(_) => None,
            });
            self.inputs.push(input);
        }
        for output in outputs {
            structure.outputs.push(component);
            let through = output.feed_through.iter().map(|input| first_input + input);
            structure.feed_through.push(through.collect());
            self.outputs.push(output);
        }
    }

    /// The coupling as it is between events: these inputs are held, and these outputs depend on no input.
    pub fn between_events(&self, held_inputs: &[bool], held_outputs: &[bool]) -> Coupling {
        let mut coupling = self.clone();
        for input in (0..self.inputs.len()).filter(|input| held_inputs[*input]) {
            coupling.inputs[input].link = Link::Fixed(0.0);
            coupling.structure.sources[input] = None;
        }
        for output in (0..self.outputs.len()).filter(|output| held_outputs[*output]) {
            coupling.outputs[output].feed_through.clear();
            coupling.structure.feed_through[output].clear();
        }
        coupling
    }

    /// The components in an order in which sources of values come before their readers, wherever there is one. What holds
    /// values over an event, outputs that depend on no input, may come later if a cycle asks for it; `discrete` says which
    /// Real outputs do not.
    pub fn sources_first(&self, discrete: impl Fn(usize) -> bool) -> Vec<usize> {
        let (structure, count) = (&self.structure, self.components.len());
        let (mut needs, mut strong) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (&component, source) in structure.inputs.iter().zip(&structure.sources) {
            if let Some(output) = *source {
                let from = structure.outputs[output];
                needs[component].push(from);
                if discrete(output) || !structure.feed_through[output].is_empty() {
                    strong[component].push(from);
                }
            }
        }
        for link in &self.discrete {
            needs[link.to.0].push(link.from.0);
            strong[link.to.0].push(link.from.0);
        }
        dependencies_first(&needs, &strong)
    }

    /// The numbers of the inputs of a component.
    #[inline]
    pub fn inputs_of(&self, component: usize) -> Range<usize> {
        self.inputs_of[component].clone()
    }

    /// The numbers of the outputs of a component.
    #[inline]
    pub fn outputs_of(&self, component: usize) -> Range<usize> {
        self.outputs_of[component].clone()
    }

    /// What depends on what.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The inputs that belong to outputs and signals.
    #[inline]
    pub fn evaluate(&self, inputs: Range<usize>, y: &[f64], signals: &[f64], u: &mut [f64]) {
        for (input, u) in self.inputs[inputs].iter().zip(u) {
            *u = match input.link {
                Link::Output { output, gain, offset } => gain * y[output] + offset,
                Link::Signal(signal) => signals[signal],
                Link::Fixed(value) => value,
            };
        }
    }

    /// The derivatives of the inputs by time that belong to derivatives of outputs and signals.
    #[inline]
    pub fn derivatives(&self, inputs: Range<usize>, dy: &[f64], signals: &[f64], du: &mut [f64]) {
        for (input, du) in self.inputs[inputs].iter().zip(du) {
            *du = match input.link {
                Link::Output { output, gain, .. } => gain * dy[output],
                Link::Signal(signal) => signals[signal],
                Link::Fixed(_) => 0.0,
            };
        }
    }

    /// The names of some inputs, for a sentence.
    pub fn input_names(&self, inputs: impl IntoIterator<Item = usize>) -> Vec<String> {
        inputs
            .into_iter()
            .map(|input| self.inputs[input].name.clone())
            .collect()
    }

    /// The names of some outputs, for a sentence.
    pub fn output_names(&self, outputs: impl IntoIterator<Item = usize>) -> Vec<String> {
        outputs
            .into_iter()
            .map(|output| self.outputs[output].name.clone())
            .collect()
    }
}
