//! Initialization: computes outputs and inputs in the order of the graph, and passes discrete values on until none changes.

use fmu_importer::Value;

use super::{Master, of};
use crate::coupling::{DiscreteLink, Link};
use crate::error::Error;
use crate::plan::Evaluation;
use crate::settings::Algorithm;
use crate::settle::Settling;

/// Changes after initialization of at least this part of a variable's size are worth a warning.
const NOTICED: f64 = 1e-6;

/// Discrete values on their way to their readers.
struct Exchange {
    /// Components, sources before readers.
    order: Vec<usize>,
    /// What each link has handed over.
    handed: Vec<Option<Value>>,
    settling: Settling,
}

impl Exchange {
    fn new(master: &Master) -> Exchange {
        Exchange {
            order: master.coupling.sources_first(|_| false),
            handed: vec![None; master.coupling.discrete.len()],
            settling: Settling::default(),
        }
    }
}

impl Master {
    /// Initializes all components, with inputs that belong to the outputs. `start` has the values that inputs have
    /// before anything is known.
    pub fn initialize(&mut self, start: &[f64]) -> Result<(), Error> {
        let settings = self.settings;
        self.state.t = settings.start;
        self.corners.begin();
        self.notes.clear();
        for (u, value) in self.state.values.u.iter_mut().zip(start) {
            *u = *value;
        }
        if settings.algorithm == Algorithm::Stabilized {
            self.prepare_stabilization()?;
        }
        let tolerance = settings.component_tolerance();
        for component in 0..self.components.len() {
            let slave = &mut self.place(component).component;
            let entered = slave.enter_initialization(settings.start, settings.stop, tolerance);
            of!(self, component, entered);
        }
        let mut exchange = Exchange::new(self);
        loop {
            self.solve_algebra(true)?;
            if !self.exchange(&mut exchange)? {
                break;
            }
        }
        for component in 0..self.components.len() {
            self.feed(component)?;
            let exited = self.place(component).component.exit_initialization();
            of!(self, component, exited);
        }
        for component in 0..self.components.len() {
            let said = self.place(component).component.warnings();
            let name = &self.coupling.components[component];
            let said = said.iter().map(|warning| format!("{name}: {warning}"));
            self.warnings.extend(said);
        }
        self.settle(exchange)?;
        self.state.values.history.clear();
        self.state.values.smooth = false;
        self.next_derivatives(0.0)?;
        self.memory
            .watch
            .growth
            .begin(&self.coupling, &self.state.values.y);
        self.foresee()?;
        self.foresee_accuracy();
        Ok(())
    }

    /// After initialization mode: events at the start may have changed outputs. What follows its inputs without a step is
    /// evaluated again, and discrete values go to their readers, until nothing changes. A reader that does not follow was
    /// initialized with another value: a warning.
    fn settle(&mut self, mut exchange: Exchange) -> Result<(), Error> {
        let before = self.state.values.clone();
        for component in 0..self.components.len() {
            let mut y = std::mem::take(&mut self.state.values.y);
            let one = self.place(component);
            let read = one.component.outputs(&mut y[one.outputs.clone()]);
            self.state.values.y = y;
            of!(self, component, read);
        }
        let handed = exchange.handed.clone();
        exchange.settling = Settling::default();
        let mut changed = self.state.values.y != before.y;
        while self.exchange(&mut exchange)? || std::mem::take(&mut changed) {
            self.evaluate_followers()?;
        }
        self.take_inputs();
        for input in 0..self.state.values.u.len() {
            let (then, now) = (before.u[input], self.state.values.u[input]);
            let Link::Output { output, .. } = self.coupling.inputs[input].link else {
                continue;
            };
            let size = self.coupling.outputs[output].nominal + now.abs();
            let structure = self.coupling.structure();
            let reader = structure.inputs[input];
            let mut outputs = self.coupling.outputs_of(reader);
            let feeds_through = outputs.any(|own| structure.feed_through[own].contains(&input));
            if feeds_through && (then - now).abs() > NOTICED * size {
                let (from, to) = (
                    &self.coupling.outputs[output].name,
                    &self.coupling.inputs[input].name,
                );
                let names = (from.clone(), to.clone());
                self.warn_of_change(reader, names, then.to_string(), now.to_string());
            }
        }
        for (number, (then, now)) in handed.iter().zip(&exchange.handed).enumerate() {
            if let (Some(then), Some(now), true) = (then, now, then != now) {
                let DiscreteLink { names, to, .. } = self.coupling.discrete[number].clone();
                self.warn_of_change(to.0, names, then.to_string(), now.to_string());
            }
        }
        Ok(())
    }

    /// Evaluates the outputs of components that follow their inputs without a step, in the order of the graph.
    fn evaluate_followers(&mut self) -> Result<(), Error> {
        self.signals
            .evaluate(self.state.t, 0, &mut self.memory.algebra.signals);
        self.memory.algebra.known.fill(true);
        let blocks = std::mem::take(&mut self.plan.blocks);
        let evaluated = blocks.iter().try_for_each(|block| self.evaluate_follower(block));
        self.plan.blocks = blocks;
        evaluated
    }

    fn evaluate_follower(&mut self, block: &Evaluation) -> Result<(), Error> {
        match block {
            Evaluation::Of(reading) if self.place(reading.component).can.outputs_follow_inputs => {
                self.feed(reading.component)?;
                self.read(reading.component, &reading.outputs)
            }
            Evaluation::Of(_) => Ok(()),
            Evaluation::Loop(number) => {
                let components = self.plan.loops[*number].components.clone();
                let mut components = components.into_iter();
                match components.all(|component| self.place(component).can.outputs_follow_inputs) {
                    true => self.solve_loop(*number),
                    false => Ok(()),
                }
            }
        }
    }

    fn warn_of_change(&mut self, reader: usize, (from, to): (String, String), then: String, now: String) {
        if !self.place(reader).can.outputs_follow_inputs {
            self.warnings.push(format!(
                "{to} was initialized with {then}, but {from} gives {now} after initialization: the outputs of {} at the \
                 start belong to {then}, because they do not follow inputs without a step",
                self.coupling.components[reader]
            ));
        }
    }

    /// Gives discrete values that are not Real to their readers, sources first. Returns whether one has changed; values
    /// that change without end are an error.
    fn exchange(&mut self, exchange: &mut Exchange) -> Result<bool, Error> {
        for &component in &exchange.order {
            for number in self.plan.discrete_of(component) {
                let to = self.coupling.discrete[number].to;
                let value = self.discrete_value(number)?;
                if exchange.handed[number].as_ref() != Some(&value) {
                    let set = self.place(to.0).component.set_value(to.1, &value);
                    of!(self, to.0, set);
                    exchange.settling.change(number, || value.to_string());
                    exchange.handed[number] = Some(value);
                }
            }
        }
        let names = |number: usize| self.coupling.discrete[number].names.clone();
        exchange.settling.end_round(self.state.t, names)
    }

    /// The inputs that belong to the outputs.
    #[inline]
    pub(super) fn take_inputs(&mut self) {
        self.signals
            .evaluate(self.state.t, 0, &mut self.memory.algebra.signals);
        let all = 0..self.state.values.u.len();
        self.coupling.evaluate(
            all,
            &self.state.values.y,
            &self.memory.algebra.signals,
            &mut self.state.values.u,
        );
    }
}
