//! What moves between components at events only: discrete Real inputs, Integers, Booleans and texts.
//!
//! A discrete input has the value that its source had at the last event of either of the two. Components are visited in an
//! order in which sources come before readers, so that a reader sees all new values of an event at once.

use fmu_importer::Value;

use super::network::Network;
use crate::Error;
use crate::coupling::{Coupling, DiscreteLink, Link};
use crate::settle::Settling;

/// A discrete input.
struct Read {
    what: What,
    /// The components at whose events it has a new value, beside its own.
    sources: Vec<usize>,
}

#[derive(Clone, Copy)]
enum What {
    /// A Real input, among all.
    Real(usize),
    /// A link of another type, among all.
    Link(usize),
}

/// The discrete inputs and outputs of all components.
#[derive(Default)]
pub(super) struct Discrete {
    /// Whether each Real input changes at events only.
    pub inputs: Vec<bool>,
    /// The Real outputs that change at events only, among all, and what they were in the last round.
    outputs: Vec<usize>,
    last: Vec<f64>,
    /// The discrete inputs of each component.
    reads: Vec<Vec<Read>>,
    /// Components, sources before readers.
    pub order: Vec<usize>,
    /// What links have handed over.
    handed: Vec<Option<Value>>,
    /// All Real inputs at the beginning of a round.
    before: Vec<f64>,
    /// Outputs may have changed since inputs were closed.
    pub stale: bool,
}

impl Discrete {
    /// Of a coupling in which these inputs and outputs are discrete; `equations` are components that are functions of
    /// others, and have no events of their own.
    pub fn new(coupling: &Coupling, inputs: Vec<bool>, outputs: &[bool], equations: &[bool]) -> Discrete {
        let structure = coupling.structure();
        let count = coupling.components.len();
        let mut reads: Vec<Vec<Read>> = (0..count).map(|_| Vec::new()).collect();
        for (number, link) in coupling.discrete.iter().enumerate() {
            reads[link.to.0].push(Read {
                what: What::Link(number),
                sources: vec![link.from.0],
            });
        }
        for input in (0..inputs.len()).filter(|input| inputs[*input]) {
            let mut sources: Vec<usize> = Vec::new();
            let mut found: Vec<usize> = structure.sources[input].into_iter().collect();
            while let Some(output) = found.pop() {
                let component = structure.outputs[output];
                if sources.contains(&component) {
                    continue;
                }
                sources.push(component);
                if equations[component] {
                    found.extend(
                        coupling
                            .inputs_of(component)
                            .filter_map(|own| structure.sources[own]),
                    );
                }
            }
            reads[structure.inputs[input]].push(Read {
                what: What::Real(input),
                sources,
            });
        }
        let order = coupling.sources_first(|output| outputs[output]);
        let outputs: Vec<usize> = (0..outputs.len()).filter(|output| outputs[*output]).collect();
        Discrete {
            order,
            last: vec![f64::NAN; outputs.len()],
            handed: vec![None; coupling.discrete.len()],
            before: vec![0.0; inputs.len()],
            stale: true,
            inputs,
            outputs,
            reads,
        }
    }
}

/// Whether two values are the same; what is not a number stays so.
pub(super) fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

impl Network {
    /// Initialization mode: solves the algebra and hands discrete values over until none of them changes.
    pub(super) fn settle_initialization(&mut self) -> Result<(), Error> {
        let mut settling = Settling::default();
        loop {
            self.refresh()?;
            for index in 0..self.discrete.order.len() {
                let at = self.discrete.order[index];
                if self.sample(at, &mut settling)? {
                    self.discrete.stale = true;
                }
            }
            self.refresh()?;
            for (last, &output) in self.discrete.last.iter_mut().zip(&self.discrete.outputs) {
                let value = self.y[output];
                if !same(*last, value) {
                    // Known only after it has settled once: the first value is not a change of another.
                    if !last.is_nan() {
                        settling.change(self.u.len() + self.coupling.discrete.len() + output, || {
                            value.to_string()
                        });
                    }
                    *last = value;
                    self.discrete.stale = true;
                }
            }
            let settled = !settling.end_round(self.time, |subject| self.subject(subject))?;
            if settled && !self.discrete.stale {
                return Ok(());
            }
        }
    }

    /// Closes inputs, if outputs may have changed since.
    pub(super) fn refresh(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.discrete.stale) {
            self.close()?;
        }
        Ok(())
    }

    /// Gives a component the values that its discrete inputs have now: all in initialization mode, and at an event those
    /// of which it or its source takes part. A new value lets it take part, too. Returns whether there was one.
    pub(super) fn sample(&mut self, at: usize, settling: &mut Settling) -> Result<bool, Error> {
        if self.discrete.reads[at].is_empty() {
            return Ok(false);
        }
        self.refresh()?;
        let reads = std::mem::take(&mut self.discrete.reads[at]);
        let changed = self.sample_all(at, &reads, settling);
        self.discrete.reads[at] = reads;
        changed
    }

    fn sample_all(&mut self, at: usize, reads: &[Read], settling: &mut Settling) -> Result<bool, Error> {
        let (mut real, mut other) = (false, false);
        for read in reads {
            let active = |component: &usize| self.places[*component].active;
            if self.in_event && !active(&at) && !read.sources.iter().any(active) {
                continue;
            }
            match read.what {
                What::Real(input) => {
                    let value = match self.source(input) {
                        Some(value) if !same(value, self.u[input]) => value,
                        _ => continue,
                    };
                    settling.change(input, || value.to_string());
                    self.u[input] = value;
                    real = true;
                }
                What::Link(number) => other |= self.hand_over(number, settling)?,
            }
        }
        if real {
            self.give(at)?;
        }
        Ok(real || other)
    }

    /// Hands a value that is not Real from its source to its reader, if it is another one than before.
    fn hand_over(&mut self, number: usize, settling: &mut Settling) -> Result<bool, Error> {
        let DiscreteLink {
            base_type, from, to, ..
        } = self.coupling.discrete[number];
        let value = self.places[from.0].component.value(base_type, from.1);
        let value = value.and_then(|value| self.coupling.discrete[number].given(value));
        let value = value.map_err(|source| self.of(from.0, source))?;
        if self.discrete.handed[number].as_ref() == Some(&value) {
            return Ok(false);
        }
        if self.in_event {
            self.activate(to.0)?;
        }
        let set = self.places[to.0].component.set_value(to.1, &value);
        set.map_err(|source| self.of(to.0, source))?;
        settling.change(self.u.len() + number, || value.to_string());
        self.discrete.handed[number] = Some(value);
        Ok(true)
    }

    /// Begins a round of an event iteration.
    pub(super) fn begin_round(&mut self) {
        self.discrete.before.copy_from_slice(&self.u);
    }

    /// Ends a round: continuous inputs that have jumped in it count as well.
    pub(super) fn end_round(&mut self, settling: &mut Settling) -> Result<(), Error> {
        for (input, before) in self.discrete.before.iter().enumerate() {
            let value = self.u[input];
            if !self.discrete.inputs[input] && !same(*before, value) {
                settling.change(input, || value.to_string());
            }
        }
        settling
            .end_round(self.time, |subject| self.subject(subject))
            .map(|_| ())
    }

    /// The names of a value that changes: of a Real input, of a link, or of an output, in this order.
    fn subject(&self, subject: usize) -> (String, String) {
        let Some(number) = subject.checked_sub(self.u.len()) else {
            let input = &self.coupling.inputs[subject];
            let from = match input.link {
                Link::Output { output, .. } => self.coupling.outputs[output].name.clone(),
                Link::Signal(_) | Link::Fixed(_) => "an external input".to_owned(),
            };
            return (from, input.name.clone());
        };
        match self.coupling.discrete.get(number) {
            Some(link) => link.names.clone(),
            None => {
                let output = number - self.coupling.discrete.len();
                (
                    self.coupling.outputs[output].name.clone(),
                    "its readers".to_owned(),
                )
            }
        }
    }
}
