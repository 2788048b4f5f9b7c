//! Loops through discrete variables: which of them a step gives values that are a communication step too late or too early.
//!
//! What samples at communication points takes its inputs at the end of a step, and its outputs hold from there on. So a discrete
//! input needs the value that its source has at the end of the step, and a continuous input needs the value that a discrete
//! output has at the beginning. No linear model sees the difference, because between events there is no loop.

use super::Master;
use crate::coupling::Link;
use crate::graph::strongly_connected;
use crate::settings::Algorithm;

/// Which Real inputs and outputs of the coupling are discrete.
#[derive(Clone, Debug, Default)]
pub(super) struct Discrete {
    pub inputs: Vec<bool>,
    pub outputs: Vec<bool>,
}

/// A link of a loop with values of another time than they should be.
struct Untimely {
    from: String,
    to: String,
    late: bool,
}

impl Master {
    /// Whether discrete values go from component to component.
    pub(super) fn has_discrete_links(&self) -> bool {
        let Discrete { inputs, outputs } = &self.plan.held;
        let mut links = self.coupling.inputs.iter().enumerate();
        let real = links.any(|(input, row)| match row.link {
            Link::Output { output, .. } => inputs[input] || outputs[output],
            Link::Signal(_) | Link::Fixed(_) => false,
        });
        real || !self.coupling.discrete.is_empty()
    }

    /// A warning, if values in a loop come through a discrete link too late or too early with the algorithm of this run.
    pub(super) fn warn_of_samples(&mut self) -> bool {
        let algorithm = self.settings.algorithm;
        let found = self.untimely(algorithm);
        let Some(Untimely { from, to, late }) = found.first() else {
            return false;
        };
        let step = self.settings.step;
        let why = match late {
            true => "a sample at the end of a step sees what its input was at the beginning",
            false => {
                "what a sample at the end of a step puts out takes effect from the beginning of that step"
            }
        };
        let others = match found.len() {
            1 => String::new(),
            more => format!(" (and {} other links likewise)", more - 1),
        };
        let mut warning = format!(
            "values from {from} come to {to} one communication step ({step} s) too {}{others}: one of them is discrete, they are \
             part of a loop, and with {} {why}. A loop that samples each T seconds is wrong by {step} s / T of a \
             sample period. Take a smaller step",
            if *late { "late" } else { "early" },
            algorithm.as_str(),
        );
        if algorithm != Algorithm::GaussSeidel && self.untimely(Algorithm::GaussSeidel).is_empty() {
            warning += ", or algorithm = \"gauss-seidel\"";
        }
        if self.all_have_model_exchange() {
            warning += ", or algorithm = \"aggregate\"";
        }
        self.warnings.push(warning);
        true
    }

    /// Links of loops whose values are of another time than an algorithm should give them.
    fn untimely(&self, algorithm: Algorithm) -> Vec<Untimely> {
        let structure = self.coupling.structure();
        let mut edges = vec![Vec::new(); structure.components];
        for (&component, source) in structure.inputs.iter().zip(&structure.sources) {
            edges[component].extend(source.map(|output| structure.outputs[output]));
        }
        for link in &self.coupling.discrete {
            edges[link.to.0].push(link.from.0);
        }
        let mut loop_of = vec![0; structure.components];
        for (number, members) in strongly_connected(&edges).iter().enumerate() {
            members.iter().for_each(|&member| loop_of[member] = number);
        }
        let in_order = self.plan.groups.iter().flat_map(|group| &group.units);
        let mut place = vec![0; structure.components];
        for (at, &component) in in_order.flat_map(|unit| &unit.components).enumerate() {
            place[component] = at;
        }
        // Whether a component gets what another one has at the end of the step.
        let at_end = |from: usize, to: usize| match algorithm {
            _ if from != to && self.plan.together(from, to) => true,
            Algorithm::Jacobi | Algorithm::Stabilized => false,
            Algorithm::GaussSeidel => place[from] < place[to],
            Algorithm::IteratedGaussSeidel | Algorithm::Newton | Algorithm::Aggregate => true,
        };
        let mut found = Vec::new();
        let held = &self.plan.held;
        for (input, row) in self.coupling.inputs.iter().enumerate() {
            let Link::Output { output, .. } = row.link else {
                continue;
            };
            let (from, to) = (structure.outputs[output], structure.inputs[input]);
            let late = held.inputs[input];
            let discrete = late || held.outputs[output];
            if discrete && loop_of[from] == loop_of[to] && at_end(from, to) != late {
                found.push(Untimely {
                    from: self.coupling.outputs[output].name.clone(),
                    to: row.name.clone(),
                    late,
                });
            }
        }
        for link in &self.coupling.discrete {
            let (from, to) = (link.from.0, link.to.0);
            if loop_of[from] == loop_of[to] && !at_end(from, to) {
                found.push(Untimely {
                    from: link.names.0.clone(),
                    to: link.names.1.clone(),
                    late: true,
                });
            }
        }
        found
    }
}
