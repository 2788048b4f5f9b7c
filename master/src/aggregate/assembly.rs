//! From names to numbers: components and their coupling become one system.

use std::collections::BTreeMap;

use fmu_importer::BaseType;
use fmu_importer::Value;
use fmu_importer::simulate::Method;
use fmu_importer::simulate::hybrid::Stopwatch;
use fmu_numerics::{Coloring, Pattern};

use super::discrete::Discrete;
use super::equation::{CouplingEquation, EquationComponent, Sum};
use super::external::ExternalEvent;
use super::jacobian::{Jacobian, Part};
use super::network::{Network, Place};
use super::plan::EvaluationPlan;
use super::signals::TimedSignals;
use super::{Aggregate, check};
use crate::Error;
use crate::component::{Component, ModelExchange, Variables};
use crate::coupling::{Coupling, DiscreteLink, Input, Link, Output};
use crate::settings::Settings;
use crate::signals::Signals;

/// What a coupling equation reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Read<'a> {
    /// An output, `component.variable`.
    Output(&'a str),
    /// An external input, by the number that [`Assembly::external_input`] gave it.
    External(usize),
}

impl<'a> From<&'a str> for Read<'a> {
    fn from(name: &'a str) -> Self {
        Read::Output(name)
    }
}

/// Components and how they are coupled.
#[derive(Default)]
pub struct Assembly {
    components: Vec<(String, Box<dyn ModelExchange>, Variables)>,
    /// Those that are coupling equations.
    equations: Vec<usize>,
    signals: Signals,
    wires: Vec<(String, Wire)>,
    discrete: Vec<Handed>,
    external: Vec<ExternalEvent>,
}

/// A discrete output and input, factor and offset, and what the input is given for each value.
type Handed = (String, String, f64, f64, Vec<(Value, Value)>);

enum Wire {
    Output { from: String, gain: f64, offset: f64 },
    External(usize),
    Fixed(f64),
}

impl Assembly {
    /// Nothing yet.
    pub fn new() -> Assembly {
        Assembly::default()
    }

    /// Adds a component, and returns its number.
    pub fn add(&mut self, name: &str, component: impl ModelExchange + 'static) -> usize {
        self.push(name, Box::new(component))
    }

    /// The same, for a component of which it is not known whether it has equations.
    pub fn add_component(&mut self, name: &str, component: Box<dyn Component>) -> Result<usize, Error> {
        match component.into_model_exchange() {
            Some(equations) => Ok(self.push(name, equations)),
            None => Err(Error::Settings(format!(
                "{name} has no equations for a solver: it can only step"
            ))),
        }
    }

    fn push(&mut self, name: &str, component: Box<dyn ModelExchange>) -> usize {
        let variables = component.variables();
        self.components.push((name.to_owned(), component, variables));
        self.components.len() - 1
    }

    /// Connects an output to an input.
    pub fn connect(&mut self, from: &str, to: &str) -> &mut Assembly {
        self.connect_with(from, to, 1.0, 0.0)
    }

    /// Connects an output to an input: `to = gain * from + offset`.
    pub fn connect_with(&mut self, from: &str, to: &str, gain: f64, offset: f64) -> &mut Assembly {
        let from = from.to_owned();
        self.wires
            .push((to.to_owned(), Wire::Output { from, gain, offset }));
        self
    }

    /// Connects a discrete output to a discrete input of the same type, or of one that holds its values.
    pub fn connect_discrete(&mut self, from: &str, to: &str) -> &mut Assembly {
        self.connect_discrete_with(from, to, 1.0, 0.0)
    }

    /// The same, with a factor and an offset for a Real input.
    pub fn connect_discrete_with(&mut self, from: &str, to: &str, gain: f64, offset: f64) -> &mut Assembly {
        self.discrete
            .push((from.to_owned(), to.to_owned(), gain, offset, Vec::new()));
        self
    }

    /// The same, with what the input is given for each value of the output.
    pub fn connect_discrete_by(&mut self, from: &str, to: &str, map: Vec<(Value, Value)>) -> &mut Assembly {
        self.discrete
            .push((from.to_owned(), to.to_owned(), 1.0, 0.0, map));
        self
    }

    /// An external input w(t): its value, first and second derivative. It must be smooth but for `kinks` and `jumps`.
    pub fn external_input(
        &mut self,
        signal: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static,
        kinks: &[f64],
        jumps: &[f64],
    ) -> usize {
        self.signals.add_with_corners(signal, kinks, jumps)
    }

    /// Takes over signals with their numbers, where there are none yet.
    pub fn signals(&mut self, signals: Signals) -> &mut Assembly {
        self.signals = signals;
        self
    }

    /// The value of an input before anything is known: where Newton's method over a loop begins. Names of anything else
    /// are passed over.
    pub fn guess(&mut self, input: &str, value: f64) -> &mut Assembly {
        if let Ok(component) = self.component(input) {
            let (name, _, names) = &mut self.components[component];
            let variable = &input[name.len() + 1..];
            if let Some(known) = names.inputs.iter_mut().find(|(known, _)| known == variable) {
                known.1 = value;
            }
        }
        self
    }

    /// Gives an external input to an input of a component.
    pub fn give(&mut self, external: usize, to: &str) -> &mut Assembly {
        self.wires.push((to.to_owned(), Wire::External(external)));
        self
    }

    /// Gives an input a value that never changes.
    pub fn fix(&mut self, to: &str, value: f64) -> &mut Assembly {
        self.wires.push((to.to_owned(), Wire::Fixed(value)));
        self
    }

    /// An input as a sum of outputs, each with a factor, and an offset.
    pub fn sum(&mut self, terms: &[(&str, f64)], offset: f64, to: &str) -> &mut Assembly {
        let reads: Vec<Read> = terms.iter().map(|(from, _)| Read::Output(from)).collect();
        let gains = terms.iter().map(|(_, gain)| *gain).collect();
        self.equation(&reads, &[to], Sum { gains, offset })
    }

    /// Inputs as a function of outputs, external inputs and time.
    pub fn equation(
        &mut self,
        reads: &[Read],
        gives: &[&str],
        equation: impl CouplingEquation + 'static,
    ) -> &mut Assembly {
        let name = format!("the equation of {}", gives.join(", "));
        let name = name.replace('.', " ");
        let number = self.add(&name, EquationComponent::new(Box::new(equation)));
        self.equations.push(number);
        for (at, read) in reads.iter().enumerate() {
            let to = format!("{name}.{}", EquationComponent::name(at));
            match *read {
                Read::Output(from) => self.connect(from, &to),
                Read::External(external) => self.give(external, &to),
            };
        }
        for (at, to) in gives.iter().enumerate() {
            self.connect(&format!("{name}.{}", EquationComponent::name(at)), to);
        }
        self
    }

    /// Adds an external event.
    pub fn event(&mut self, event: ExternalEvent) -> &mut Assembly {
        self.external.push(event);
        self
    }

    /// Checks all names, works out the order of evaluation, and makes one system.
    pub fn build(mut self, settings: Settings) -> Result<Aggregate, Error> {
        let method = check(&settings)?;
        let first_outputs = self.first_numbers(|names| names.outputs.len());
        let first_states = self.first_numbers(|names| names.states.len());
        let outputs = first_outputs.last().copied().unwrap_or(0);
        let mut needed = vec![false; outputs];
        let mut fed: Vec<BTreeMap<usize, Link>> = vec![BTreeMap::new(); self.components.len()];
        for (to, wire) in &self.wires {
            let link = match wire {
                Wire::Output { from, gain, offset } => {
                    let output = self.output(from, &first_outputs)?;
                    needed[output] = true;
                    Link::Output {
                        output,
                        gain: *gain,
                        offset: *offset,
                    }
                }
                Wire::External(signal) => Link::Signal(*signal),
                Wire::Fixed(value) => Link::Fixed(*value),
            };
            let (component, input) =
                self.find(to, "input", |names, variable| position(&names.inputs, variable))?;
            if fed[component].insert(input, link).is_some() {
                return Err(Error::Settings(format!(
                    "{to} has two sources; an input takes one"
                )));
            }
        }
        for event in 0..self.external.len() {
            let (reads, changes) = (
                self.external[event].reads.clone(),
                self.external[event].changes.clone(),
            );
            for name in &reads {
                let output = self.output(name, &first_outputs)?;
                needed[output] = true;
                self.external[event].outputs.push(output);
            }
            for name in &changes {
                let place = |names: &Variables, variable: &str| {
                    names.states.iter().position(|state| state.name == variable)
                };
                let (component, state) = self.find(name, "state", place)?;
                self.external[event].states.push(first_states[component] + state);
            }
        }
        let discrete = self.discrete_links()?;
        self.join(settings, method, fed, needed, discrete)
    }

    fn first_numbers(&self, count: impl Fn(&Variables) -> usize) -> Vec<usize> {
        let mut first = vec![0];
        for (.., names) in &self.components {
            first.push(first.last().copied().unwrap_or(0) + count(names));
        }
        first
    }

    fn output(&self, name: &str, first: &[usize]) -> Result<usize, Error> {
        let (component, output) = self.find(name, "output", |names, variable| {
            position(&names.outputs, variable)
        })?;
        Ok(first[component] + output)
    }

    /// The component of a name, `component.variable`, and the position of the variable.
    fn find(
        &self,
        name: &str,
        what: &str,
        position: impl Fn(&Variables, &str) -> Option<usize>,
    ) -> Result<(usize, usize), Error> {
        let component = self.component(name)?;
        let (of, _, names) = &self.components[component];
        let found = position(names, &name[of.len() + 1..]);
        found.map(|position| (component, position)).ok_or_else(|| {
            Error::Settings(format!(
                "{} has no {what} for '{name}'",
                self.components[component].0
            ))
        })
    }

    /// The component that a name begins with; the longest name counts.
    fn component(&self, name: &str) -> Result<usize, Error> {
        let components = self.components.iter().enumerate();
        let fitting = components.filter(|(_, (component, ..))| {
            name.strip_prefix(component.as_str())
                .is_some_and(|rest| rest.starts_with('.'))
        });
        let longest = fitting.max_by_key(|(_, (component, ..))| component.len());
        longest.map(|(number, _)| number).ok_or_else(|| {
            let known: Vec<&str> = self.components.iter().map(|(name, ..)| name.as_str()).collect();
            Error::Settings(format!(
                "'{name}' is not a variable of a component: write component.variable; there are {}",
                known.join(", ")
            ))
        })
    }

    fn discrete_links(&self) -> Result<Vec<DiscreteLink>, Error> {
        let variable = |name: &str| -> Result<(usize, BaseType, u32), Error> {
            let component = self.component(name)?;
            let (of, model, _) = &self.components[component];
            let found = model.find_variable(&name[of.len() + 1..]);
            let (base_type, reference) =
                found.ok_or_else(|| Error::Settings(format!("{of} has no variable for '{name}'")))?;
            Ok((component, base_type, reference))
        };
        let link = |(from, to, gain, offset, map): &Handed| {
            let (source, target) = (variable(from)?, variable(to)?);
            if !DiscreteLink::converts(source.1, target.1) {
                let problem = format!("{from} is of type {}, {to} of type {}", source.1, target.1);
                return Err(Error::Settings(problem));
            }
            Ok(DiscreteLink {
                names: (from.clone(), to.clone()),
                base_type: source.1,
                into: target.1,
                gain: *gain,
                offset: *offset,
                map: map.clone(),
                from: (source.0, source.2),
                to: (target.0, target.2),
            })
        };
        self.discrete.iter().map(link).collect()
    }

    fn join(
        self,
        settings: Settings,
        method: Method,
        fed: Vec<BTreeMap<usize, Link>>,
        needed: Vec<bool>,
        discrete: Vec<DiscreteLink>,
    ) -> Result<Aggregate, Error> {
        let mut coupling = Coupling::default();
        let (mut start, mut states_of_outputs) = (Vec::new(), Vec::new());
        let (mut held_inputs, mut held_outputs) = (Vec::new(), Vec::new());
        let equations: Vec<bool> = (0..self.components.len())
            .map(|number| self.equations.contains(&number))
            .collect();
        let (mut places, mut patterns, mut rows) = (Vec::<Place>::new(), Vec::<Pattern>::new(), Vec::new());
        for ((name, mut component, names), fed) in self.components.into_iter().zip(fed) {
            let inputs: Vec<usize> = fed.keys().copied().collect();
            let first = coupling.outputs.len();
            let is_needed = |output: &usize| needed[first + output];
            let (asked, shown): (Vec<usize>, Vec<usize>) = (0..names.outputs.len()).partition(is_needed);
            let pattern = component
                .couple(&inputs, &asked)
                .map_err(|source| Error::Component {
                    component: name.clone(),
                    time: settings.start,
                    source,
                })?;
            let states = names.states.len();
            let first_state = places.last().map_or(0, |place| place.states.end);
            states_of_outputs.extend((0..names.outputs.len()).map(|output| {
                let state = names.state_of_output(output).filter(|_| needed[first + output]);
                state.map(|state| first_state + state)
            }));
            let mut through = vec![Vec::new(); names.outputs.len()];
            for (row, column) in pattern
                .iter()
                .filter(|(row, column)| *row >= states && *column >= states)
            {
                through[asked[row - states]].push(column - states);
            }
            held_inputs.extend(inputs.iter().map(|input| names.discrete_inputs.contains(input)));
            held_outputs
                .extend((0..names.outputs.len()).map(|output| names.discrete_outputs.contains(&output)));
            start.extend(inputs.iter().map(|input| names.inputs[*input].1));
            let input = |(at, link): (&usize, &Link)| Input {
                name: format!("{name}.{}", names.inputs[*at].0),
                link: *link,
            };
            let output = |((variable, nominal), feed_through): (&(String, f64), Vec<usize>)| Output {
                name: format!("{name}.{variable}"),
                nominal: *nominal,
                feed_through,
            };
            let outputs = names.outputs.iter().zip(through).map(output).collect();
            coupling.add(&name, fed.iter().map(input).collect(), outputs);
            let last = places.last();
            let after = |range: fn(&Place) -> usize, count: usize| {
                let begin = last.map_or(0, range);
                begin..begin + count
            };
            rows.push(asked.iter().map(|output| first + output).collect::<Vec<usize>>());
            places.push(Place {
                states: after(|place| place.states.end, states),
                inputs: after(|place| place.inputs.end, inputs.len()),
                outputs: after(|place| place.outputs.end, names.outputs.len()),
                indicators: after(
                    |place| place.indicators.end,
                    component.number_of_event_indicators(),
                ),
                partials: after(|place| place.partials.end, pattern.entries()),
                groups: component
                    .evaluations_of_partials()
                    .unwrap_or_else(|| Coloring::new(pattern.clone()).colors()),
                component,
                shown,
                active: false,
                pending: false,
                next_event: f64::INFINITY,
                asked: false,
                evaluations: 0,
                output_evaluations: 0,
                events: 0,
            });
            patterns.push(pattern);
        }
        coupling.discrete = discrete;
        let continuous = coupling.between_events(&held_inputs, &held_outputs);
        let plan = EvaluationPlan::new(&continuous, &needed, &states_of_outputs);
        let parts: Vec<Part> = places
            .iter()
            .zip(patterns.iter().zip(&rows))
            .map(|(place, (pattern, outputs))| Part {
                pattern,
                states: place.states.clone(),
                inputs: place.inputs.clone(),
                outputs,
                entries: place.partials.clone(),
            })
            .collect();
        let states = places.last().map_or(0, |place| place.states.end);
        let jacobian = Jacobian::new(&continuous, &plan, &parts, states, settings.matrices);
        let signals = TimedSignals::new(self.signals);
        let network = Network {
            w: vec![0.0; signals.signals.len()],
            x: vec![0.0; states],
            y: vec![0.0; coupling.outputs.len()],
            given: vec![f64::NAN; start.len()],
            u: start,
            scratch: vec![0.0; coupling.outputs.len()],
            known: vec![false; coupling.outputs.len()],
            convergence: (1e-4 * settings.solver_tolerance()).clamp(1e-12, 1e-6),
            time: settings.start,
            stop: settings.stop,
            external: self.external,
            discrete: Discrete::new(&coupling, held_inputs, &held_outputs, &equations),
            places,
            coupling,
            plan,
            jacobian,
            signals,
            closed: false,
            moving: false,
            in_event: false,
            acted: false,
            terminated: None,
            error: None,
            refusal: None,
            evaluations: 0,
            indicator_evaluations: 0,
            in_components: Stopwatch::default(),
        };
        Ok(Aggregate::new(network, settings, method))
    }
}

fn position(variables: &[(String, f64)], name: &str) -> Option<usize> {
    variables.iter().position(|(variable, _)| variable == name)
}
