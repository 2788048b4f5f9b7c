//! What an evaluation does, in its order, worked out once: outputs that depend on states alone first, then block by
//! block (Andersson 2016, chapter 5).

use crate::coupling::{Coupling, Link};
use crate::plan::{Evaluation, Order, Reading, nominal};
use crate::solve::Newton;

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

/// Fast path when every exchanged value is a state: no component is evaluated.
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
pub(super) struct EvaluationPlan {
    pub steps: Vec<Evaluation>,
    /// All that is left of the steps while time goes on, where they exchange states alone.
    pub direct: Option<Direct>,
    pub loops: Vec<Unknowns>,
    /// The inputs that loops are solved for: what their sources say differs by what is tolerated.
    pub solved: Vec<bool>,
}

impl EvaluationPlan {
    /// Of the outputs that are needed by somebody; `states` are those that outputs are, among all.
    pub fn new(coupling: &Coupling, needed: &[bool], states: &[Option<usize>]) -> EvaluationPlan {
        let order = Order::new(coupling);
        let mut plan = EvaluationPlan {
            steps: Vec::new(),
            direct: None,
            loops: Vec::new(),
            solved: vec![false; coupling.inputs.len()],
        };
        for block in order.blocks {
            let Evaluation::Of(all) = &block else {
                plan.steps.push(block);
                continue;
            };
            let outputs = all.outputs.iter().copied().filter(|output| needed[*output]);
            let mut reading = Reading::new(coupling, all.component, outputs.collect());
            if !reading.outputs.is_empty() {
                reading.states = reading.outputs.iter().map(|output| states[*output]).collect();
                plan.steps.push(Evaluation::Of(reading));
            }
        }
        for (outputs, inputs) in order.loops {
            inputs.iter().for_each(|input| plan.solved[*input] = true);
            plan.loops.push(unknowns(coupling, outputs, inputs));
        }
        plan.direct = plan.directly(coupling);
        plan
    }

    /// None where there is a loop, a signal, or an output that is not a state.
    fn directly(&self, coupling: &Coupling) -> Option<Direct> {
        let mut outputs = Vec::new();
        for step in &self.steps {
            match step {
                Evaluation::Of(Reading {
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

fn unknowns(coupling: &Coupling, outputs: Vec<usize>, inputs: Vec<usize>) -> Unknowns {
    let structure = coupling.structure();
    let mut components: Vec<usize> = outputs.iter().map(|output| structure.outputs[*output]).collect();
    components.sort_unstable();
    components.dedup();
    let of = |component: usize| {
        let range = coupling.outputs_of(component);
        let own = outputs.iter().copied().filter(|output| range.contains(output));
        Reading::new(coupling, component, own.collect())
    };
    let readings: Vec<Reading> = components.into_iter().map(of).collect();
    let all = readings.iter().flat_map(|reading| reading.inputs.iter().copied());
    Unknowns {
        known: all.filter(|input| !inputs.contains(input)).collect(),
        nominals: inputs.iter().map(|&input| nominal(coupling, input)).collect(),
        newton: Newton::new(inputs.len()),
        readings,
        inputs,
        outputs,
        solved: 0,
        iterations: 0,
    }
}
