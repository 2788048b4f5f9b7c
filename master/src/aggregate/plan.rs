//! What an evaluation does, in its order, worked out once: outputs that depend on states alone first, then block by
//! block (Andersson 2016, chapter 5).

use crate::coupling::{Coupling, Link};
use crate::graph::Block;
use crate::solve::Newton;

/// A step of an evaluation.
pub(super) enum Step {
    /// Outputs of one component, after the inputs that they depend on.
    Read(Reading),
    /// An algebraic loop, by its number.
    Loop(usize),
}

/// Some outputs of a component, and the inputs that have to be set before.
#[derive(Clone)]
pub(super) struct Reading {
    pub component: usize,
    /// The outputs, by their numbers among those of the component.
    pub which: Vec<usize>,
    /// The same among all.
    pub outputs: Vec<usize>,
    /// The inputs that they depend on, among all.
    pub inputs: Vec<usize>,
    /// The states that they are, among all, if all of them are states.
    pub states: Option<Vec<usize>>,
}

/// Outputs and inputs that determine each other.
pub(super) struct Unknowns {
    /// What is read of each component.
    pub readings: Vec<Reading>,
    /// Inputs that come from before the loop.
    pub known: Vec<usize>,
    /// The unknowns: inputs between outputs of the loop.
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// Usual sizes of the unknowns.
    pub nominals: Vec<f64>,
    pub newton: Newton,
    pub solved: u64,
    pub iterations: u64,
}

/// What an evaluation comes to where all that is exchanged are states: nobody has to be asked.
pub(super) struct Direct {
    /// Outputs, and the states that they are.
    pub outputs: Vec<(usize, usize)>,
    /// Inputs, and the states that they follow.
    pub inputs: Vec<Followed>,
}

/// An input that follows a state.
pub(super) struct Followed {
    pub input: usize,
    pub state: usize,
    pub gain: f64,
    pub offset: f64,
}

/// The order of an evaluation.
#[derive(Default)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    /// All that is left of the steps while time goes on, where they exchange states alone.
    pub direct: Option<Direct>,
    pub loops: Vec<Unknowns>,
    /// The inputs that loops are solved for: what their sources say differs by what is tolerated.
    pub solved: Vec<bool>,
}

impl Plan {
    /// Of the outputs that are needed by somebody; `states` are those that outputs are, among all.
    pub fn new(coupling: &Coupling, needed: &[bool], states: &[Option<usize>]) -> Plan {
        let structure = coupling.structure();
        let mut plan = Plan {
            steps: Vec::new(),
            direct: None,
            loops: Vec::new(),
            solved: vec![false; coupling.inputs.len()],
        };
        for block in structure.order().blocks {
            match block {
                Block::Evaluation {
                    component,
                    mut outputs,
                } => {
                    outputs.retain(|output| needed[*output]);
                    if !outputs.is_empty() {
                        let mut reading = reading(coupling, component, outputs);
                        reading.states = reading.outputs.iter().map(|output| states[*output]).collect();
                        plan.steps.push(Step::Read(reading));
                    }
                }
                Block::Loop { outputs, inputs } => {
                    plan.steps.push(Step::Loop(plan.loops.len()));
                    inputs.iter().for_each(|input| plan.solved[*input] = true);
                    plan.loops.push(unknowns(coupling, outputs, inputs));
                }
            }
        }
        plan.direct = plan.directly(coupling);
        plan
    }

    /// None where there is a loop, a signal, or an output that is no state.
    fn directly(&self, coupling: &Coupling) -> Option<Direct> {
        let mut outputs = Vec::new();
        for step in &self.steps {
            match step {
                Step::Read(Reading {
                    outputs: read,
                    states: Some(states),
                    ..
                }) => outputs.extend(read.iter().copied().zip(states.iter().copied())),
                _ => return None,
            }
        }
        let mut inputs = Vec::new();
        for (input, fed) in coupling.inputs.iter().enumerate() {
            match fed.link {
                Link::Output { output, gain, offset } => inputs.push(Followed {
                    input,
                    state: outputs.iter().find(|found| found.0 == output)?.1,
                    gain,
                    offset,
                }),
                Link::Signal(_) => return None,
                // It was set with the start, and stays.
                Link::Fixed(_) => {}
            }
        }
        Some(Direct { outputs, inputs })
    }
}

fn reading(coupling: &Coupling, component: usize, outputs: Vec<usize>) -> Reading {
    let first = coupling.outputs_of(component).start;
    let through = &coupling.structure().feed_through;
    let mut inputs: Vec<usize> = outputs
        .iter()
        .flat_map(|output| through[*output].iter().copied())
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    Reading {
        component,
        which: outputs.iter().map(|output| output - first).collect(),
        outputs,
        inputs,
        states: None,
    }
}

fn unknowns(coupling: &Coupling, outputs: Vec<usize>, inputs: Vec<usize>) -> Unknowns {
    let structure = coupling.structure();
    let mut components: Vec<usize> = outputs.iter().map(|output| structure.outputs[*output]).collect();
    components.sort_unstable();
    components.dedup();
    let of = |component: usize| {
        let range = coupling.outputs_of(component);
        let own = outputs.iter().copied().filter(|output| range.contains(output));
        reading(coupling, component, own.collect())
    };
    let readings: Vec<Reading> = components.into_iter().map(of).collect();
    let all = readings.iter().flat_map(|reading| reading.inputs.iter().copied());
    let nominal = |input: &usize| match coupling.inputs[*input].link {
        Link::Output { output, gain, .. } => {
            let size = (gain * coupling.outputs[output].nominal).abs();
            if size > 0.0 { size } else { 1.0 }
        }
        Link::Signal(_) | Link::Fixed(_) => 1.0,
    };
    Unknowns {
        known: all.filter(|input| !inputs.contains(input)).collect(),
        nominals: inputs.iter().map(nominal).collect(),
        newton: Newton::new(inputs.len()),
        readings,
        inputs,
        outputs,
        solved: 0,
        iterations: 0,
    }
}
