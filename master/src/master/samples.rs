//! Links through discrete variables: which value of its source a step must give to an input.
//!
//! A component that samples takes its inputs at the end of a step, and its outputs hold from there on. So what is sampled is
//! needed as it is at the end of the step, and what discrete outputs feed as it is at the beginning. Loops in which a step
//! cannot give that are warned of: no linear model sees the difference, because between events there is no loop.

use super::Master;
use super::jumps::Jumps;
use crate::component::Variables;
use crate::coupling::{Coupling, DiscreteLink, Link};
use crate::graph::strongly_connected;
use crate::settings::{Algorithm, Control};

/// Which Real inputs and outputs of the coupling are discrete, and which components have continuous states.
#[derive(Clone, Debug, Default)]
pub(super) struct Discrete {
    pub inputs: Vec<bool>,
    pub outputs: Vec<bool>,
    integrates: Vec<bool>,
}

/// The value of its source that an input needs in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// The curve between both ends: nothing is discrete.
    Curve,
    /// The value at the beginning, held over the step: it acts at once, and jumps at the end.
    Beginning,
    /// The value at the end, where it is sampled.
    End,
}

impl Discrete {
    pub fn new(coupling: &Coupling) -> Discrete {
        Discrete {
            inputs: vec![false; coupling.inputs.len()],
            outputs: vec![false; coupling.outputs.len()],
            integrates: vec![false; coupling.components.len()],
        }
    }

    /// Adds what is known of a component.
    pub fn add(&mut self, coupling: &Coupling, component: usize, variables: &Variables) {
        for input in &variables.discrete_inputs {
            self.inputs[coupling.inputs_of(component).start + input] = true;
        }
        for output in &variables.discrete_outputs {
            self.outputs[coupling.outputs_of(component).start + output] = true;
        }
        self.integrates[component] = !variables.states.is_empty();
    }

    /// What a Real input needs of its source.
    pub fn needs(&self, coupling: &Coupling, input: usize) -> Needs {
        let Link::Output { output, .. } = coupling.inputs[input].link else {
            return Needs::Curve;
        };
        match (self.outputs[output], self.inputs[input]) {
            (false, false) => Needs::Curve,
            (false, true) => Needs::End,
            (true, false) => Needs::Beginning,
            (true, true) => self.between_discrete(coupling.structure().inputs[input]),
        }
    }

    /// What the input of another type needs.
    pub fn link_needs(&self, link: &DiscreteLink) -> Needs {
        self.between_discrete(link.to.0)
    }

    /// What a discrete output feeds is sampled again, or is a part of equations for continuous states.
    fn between_discrete(&self, reader: usize) -> Needs {
        match self.integrates[reader] {
            true => Needs::Beginning,
            false => Needs::End,
        }
    }
}

/// Samples that are so near to a communication point, as a part of the step, are there.
const AT_A_POINT: f64 = 1e-6;

/// The first sample after the present time, and the time between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timing {
    pub first: f64,
    pub period: f64,
}

/// Without the last digits, which differences of times have.
fn rounded(time: f64) -> f64 {
    format!("{time:.9e}").parse().unwrap_or(time)
}

/// A link of a loop whose values come a step too late.
struct Late {
    from: String,
    to: String,
}

impl Master {
    /// Whether discrete values go from component to component.
    pub(super) fn has_discrete_links(&self) -> bool {
        let Discrete { inputs, outputs, .. } = &self.plan.held;
        let mut links = self.coupling.inputs.iter().enumerate();
        let real = links.any(|(input, row)| match row.link {
            Link::Output { output, .. } => inputs[input] || outputs[output],
            Link::Signal(_) | Link::Fixed(_) => false,
        });
        real || !self.coupling.discrete.is_empty()
    }

    /// A warning, if values in a loop come through a discrete link too late with the algorithm of this run.
    pub(super) fn warn_of_samples(&mut self) -> bool {
        let algorithm = self.settings.algorithm;
        let found = self.late(algorithm);
        let Some(Late { from, to }) = found.first() else {
            return false;
        };
        // With error control steps have different sizes.
        let (size, wrong, cure) = match self.settings.control {
            Some(_) => (
                String::new(),
                "one step".to_owned(),
                "a smaller maximum of the step",
            ),
            None => {
                let step = self.settings.step;
                (format!(" ({step} s)"), format!("{step} s"), "a smaller step")
            }
        };
        let others = match found.len() {
            1 => String::new(),
            more => format!(" (and {} other links likewise)", more - 1),
        };
        let mut warning = format!(
            "values from {from} come to {to} one communication step{size} too late{others}: they are discrete or sampled, \
             they are part of a loop, and with {} a sample at the end of a step sees what its input was at the beginning. \
             A loop that samples each T seconds is wrong by {wrong} / T of a sample period. Take {cure}",
            algorithm.as_str(),
        );
        if algorithm != Algorithm::GaussSeidel && self.late(Algorithm::GaussSeidel).is_empty() {
            warning += ", or algorithm = \"gauss-seidel\"";
        }
        if self.all_have_model_exchange() {
            warning += ", or algorithm = \"aggregate\"";
        }
        self.warnings.push(warning);
        true
    }

    /// A warning, if a component samples, or changes what feeds others, at known times between communication points of a fixed
    /// step: that counts from the end of the step that it is in.
    pub(super) fn warn_of_missed_samples(&mut self) -> bool {
        let (step, t) = (self.settings.step, self.state.t);
        let mut found = None;
        let mut sources = self.event_sources();
        // Samplers first: in loops they do more.
        sources.sort_by_key(|component| !self.plan.samplers.contains(component));
        for component in sources {
            let Some(Timing { first, period }) = self.timing_of(component) else {
                continue;
            };
            let fits = |time: f64| {
                let steps = time / step;
                (steps - steps.round()).abs() <= AT_A_POINT * steps.abs().max(1.0)
            };
            if period <= self.duration() && !(fits(period) && fits(first - t)) {
                found = Some((component, first - t, period, fits(period)));
                break;
            }
        }
        let Some((component, first, period, fits)) = found else {
            return false;
        };
        let name = &self.coupling.components[component];
        let [period, first, step] = [period, first, step].map(rounded);
        let (does, them) = match self.plan.samplers.contains(&component) {
            true => ("samples", "samples"),
            false => ("changes discrete outputs", "changes"),
        };
        let mut warning = match fits {
            false => format!(
                "{name} {does} every {period} s, which is not a multiple of the step {step}: {them} take effect up to {step} s \
                 late. Take {}, {} or {}",
                period,
                rounded(period / 2.0),
                rounded(period / 4.0)
            ),
            true => format!(
                "{name} {does} every {period} s, the first time {first} s after the start, which is not a multiple of the step \
                 {step}: {them} take effect up to {step} s late. Take a step that divides {first} and {period}"
            ),
        };
        let all = (0..self.components.len()).all(|component| {
            let can = self.place(component).can;
            can.snapshots && can.variable_step
        });
        if all {
            warning += ", or error control ([control] tolerance)";
        }
        if self.all_have_model_exchange() {
            warning += ", or algorithm = \"aggregate\"";
        }
        self.warnings.push(warning);
        true
    }

    /// When a component samples, if it reports that.
    pub(super) fn timing_of(&mut self, component: usize) -> Option<Timing> {
        let t = self.state.t;
        let slave = &mut self.place(component).component;
        let first = slave.next_event(t)?;
        let second = slave.next_event(first).filter(|&second| second > first);
        let period = second.map_or(first - t, |second| second - first);
        (period > 0.0).then_some(Timing { first, period })
    }

    /// Error control, with steps up to the one of the settings where a component samples at times that are not known: what it
    /// samples inside of a longer step may leave no trace, as while its output is at a limit.
    pub(super) fn bound_by_samples(&mut self, mut control: Control, jumps: &Jumps) -> Control {
        let mut samplers = self.plan.samplers.iter();
        let Some(&unknown) = samplers.find(|&&component| !jumps.knows_events_of(component)) else {
            return control;
        };
        let step = self.settings.step;
        // A maximum that was chosen stays.
        if step < control.maximum && control.maximum >= self.duration() {
            control.maximum = step;
            self.notes.push(format!(
                "{} samples its inputs at times that it does not provide: error control takes no steps above {step} s. What it \
                 samples and does not show at its outputs may be of a time up to a step later; where the sample time is known, \
                 compare with algorithm = \"gauss-seidel\", without a tolerance, and a step that divides the sample time",
                self.coupling.components[unknown]
            ));
        }
        control
    }

    /// What to do about an error that does not fall with the step, where a component samples at times that are not known: its
    /// samples are jumps, and a step that ends anywhere else meets them too late, however small it is.
    pub(super) fn advice_for_samples(&mut self, jumps: &Jumps) -> Option<String> {
        let mut samplers = self.plan.samplers.iter();
        let &unknown = samplers.find(|&&component| !jumps.knows_events_of(component))?;
        let mut advice = format!(
            "{} samples its inputs at times that it does not provide, so that no step can end there, and what jumps at its \
             samples does not keep this tolerance. Take algorithm = \"gauss-seidel\", without a tolerance, and a step that \
             divides its sample time",
            self.coupling.components[unknown]
        );
        if self.all_have_model_exchange() {
            advice += ", or algorithm = \"aggregate\"";
        }
        Some(advice)
    }

    /// The first component that samples what depends on its own outputs.
    pub(super) fn sampler_in_a_loop(&self) -> Option<usize> {
        let loop_of = self.loops_of_components();
        let shared = |component: usize| {
            let mut others = loop_of.iter().enumerate();
            others.any(|(other, number)| other != component && *number == loop_of[component])
        };
        let mut samplers = self.plan.samplers.iter().copied();
        samplers.find(|&component| shared(component))
    }

    /// The number of the loop that each component is in: those that feed each other have the same.
    fn loops_of_components(&self) -> Vec<usize> {
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
        loop_of
    }

    /// Links of loops that need the value at the end of the step, and do not get it with an algorithm.
    fn late(&self, algorithm: Algorithm) -> Vec<Late> {
        let structure = self.coupling.structure();
        let loop_of = self.loops_of_components();
        let place = self.places(algorithm);
        let in_order = |from: usize, to: usize| place[from] < place[to];
        // The algorithm that solves for two components together.
        let solved_by = |from: usize, to: usize| match self.plan.unit_algorithm(from, to) {
            None if self.plan.in_one_group(from, to) => Some(algorithm),
            own => own,
        };
        let mut found = Vec::new();
        for (input, row) in self.coupling.inputs.iter().enumerate() {
            let Link::Output { output, .. } = row.link else {
                continue;
            };
            let (from, to) = (structure.outputs[output], structure.inputs[input]);
            if self.plan.needs[input] != Needs::End || loop_of[from] != loop_of[to] {
                continue;
            }
            let solved = solved_by(from, to).is_some_and(Algorithm::repeats);
            if !solved && !in_order(from, to) {
                found.push(Late {
                    from: self.coupling.outputs[output].name.clone(),
                    to: row.name.clone(),
                });
            }
        }
        for (link, needs) in self.coupling.discrete.iter().zip(&self.plan.link_needs) {
            let (from, to) = (link.from.0, link.to.0);
            if *needs != Needs::End || loop_of[from] != loop_of[to] {
                continue;
            }
            // Newton's method hands such values over when it has solved for the others.
            if solved_by(from, to) == Some(Algorithm::Newton) || !in_order(from, to) {
                found.push(Late {
                    from: link.names.0.clone(),
                    to: link.names.1.clone(),
                });
            }
        }
        found
    }

    /// The place of each component in the order of a step; of those that step at once it is the same.
    fn places(&self, algorithm: Algorithm) -> Vec<usize> {
        let mut place = vec![0; self.components.len()];
        if algorithm.at_once() && self.plan.all_alone {
            for (at, &component) in self.plan.samplers.iter().enumerate() {
                place[component] = at + 1;
            }
            return place;
        }
        let in_order = self.plan.groups.iter().flat_map(|group| &group.units);
        for (at, &component) in in_order.flat_map(|unit| &unit.components).enumerate() {
            place[component] = at;
        }
        place
    }
}
