//! What depends on what between coupled components: loops, and the order in which everything else can be evaluated.
//!
//! The nodes are the outputs. An output depends on another if an input that feeds through to it is connected to the
//! other (Andersson 2016, chapter 5). A strongly connected component of more than one output, or of one that depends on
//! itself, is an algebraic loop: its outputs and inputs have to be solved for together. Everything else has an order.

mod components;
mod order;

pub use components::{dependencies_first, strongly_connected};
pub use order::{Block, Order};

/// The inputs and outputs of the components, and how they depend on each other. Inputs and outputs are numbered through all
/// components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Number of components.
    pub components: usize,
    /// The component of each input.
    pub inputs: Vec<usize>,
    /// The output that each input is connected to; none, if it is given from outside or keeps its start value.
    pub sources: Vec<Option<usize>>,
    /// The component of each output.
    pub outputs: Vec<usize>,
    /// The inputs that each output depends on at the same time, inputs of its own component.
    pub feed_through: Vec<Vec<usize>>,
}

impl Structure {
    /// The outputs that each output depends on at the same time.
    pub fn dependencies(&self) -> Vec<Vec<usize>> {
        let through = |inputs: &Vec<usize>| {
            let mut outputs: Vec<usize> = inputs.iter().filter_map(|&input| self.sources[input]).collect();
            outputs.sort_unstable();
            outputs.dedup();
            outputs
        };
        self.feed_through.iter().map(through).collect()
    }

    /// The order in which outputs can be evaluated, with as few evaluations as possible.
    pub fn order(&self) -> Order {
        order::reduced(self)
    }

    /// The order in which outputs can be evaluated one by one, as it comes.
    pub fn plain_order(&self) -> Order {
        order::plain(self)
    }

    /// The order in which components should make their steps one after another, so that as many inputs as possible are
    /// there: components that need each other stand together.
    pub fn calling_sequence(&self) -> Vec<Vec<usize>> {
        let mut needs = vec![Vec::new(); self.components];
        for (&component, source) in self.inputs.iter().zip(&self.sources) {
            if let Some(source) = source {
                needs[component].push(self.outputs[*source]);
            }
        }
        strongly_connected(&needs)
    }
}
