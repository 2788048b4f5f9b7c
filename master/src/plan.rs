//! What follows from the graph of a coupled system for both ways to advance it: in which order outputs are evaluated, and
//! which outputs and inputs are solved for together (Andersson 2016, chapter 5).

use crate::coupling::{Coupling, Link};
use crate::graph::Block;

/// The evaluation of a block of outputs.
#[derive(Clone, Debug)]
pub(crate) enum Evaluation {
    /// Outputs of one component, after the inputs that they depend on.
    Of(Reading),
    /// An algebraic loop, by its number.
    Loop(usize),
}

/// Some outputs of a component, and the inputs that have to be set before.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub component: usize,
    /// The outputs, among all.
    pub outputs: Vec<usize>,
    /// The same, by their numbers among those of the component.
    #[cfg(feature = "aggregate")]
    pub which: Vec<usize>,
    /// The inputs that they depend on at the same time, among all.
    pub inputs: Vec<usize>,
    /// The states that they are, among all, if all of them are known to be states.
    #[cfg(feature = "aggregate")]
    pub states: Option<Vec<usize>>,
}

impl Reading {
    pub fn new(coupling: &Coupling, component: usize, outputs: Vec<usize>) -> Reading {
        let through = &coupling.structure().feed_through;
        let all = outputs.iter().flat_map(|output| through[*output].iter().copied());
        let mut inputs: Vec<usize> = all.collect();
        inputs.sort_unstable();
        inputs.dedup();
        Reading {
            component,
            #[cfg(feature = "aggregate")]
            which: {
                let first = coupling.outputs_of(component).start;
                outputs.iter().map(|output| output - first).collect()
            },
            outputs,
            inputs,
            #[cfg(feature = "aggregate")]
            states: None,
        }
    }

    /// Whether they depend on inputs at the same time.
    #[inline]
    pub fn feeds_through(&self) -> bool {
        !self.inputs.is_empty()
    }
}

/// The order of an evaluation of all outputs.
pub(crate) struct Order {
    /// Blocks of outputs, each after those that it needs.
    pub blocks: Vec<Evaluation>,
    /// Outputs and inputs of each algebraic loop.
    pub loops: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Order {
    pub fn new(coupling: &Coupling) -> Order {
        let mut loops = Vec::new();
        let blocks = coupling.structure().order().blocks.into_iter();
        let blocks = blocks.map(|block| match block {
            Block::Evaluation { component, outputs } => {
                Evaluation::Of(Reading::new(coupling, component, outputs))
            }
            Block::Loop { outputs, inputs } => {
                loops.push((outputs, inputs));
                Evaluation::Loop(loops.len() - 1)
            }
        });
        Order {
            blocks: blocks.collect(),
            loops,
        }
    }
}

/// The usual size of an input.
pub(crate) fn nominal(coupling: &Coupling, input: usize) -> f64 {
    let size = match coupling.inputs[input].link {
        Link::Output { output, gain, .. } => (gain * coupling.outputs[output].nominal).abs(),
        Link::Signal(_) | Link::Fixed(_) => 1.0,
    };
    if size > 0.0 { size } else { 1.0 }
}
