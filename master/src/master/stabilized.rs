//! Stabilized steps: all components at once, and the inputs of each follow a linear model of the others while it steps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use importer::InputDerivatives;

use super::step::Ended;
use super::{Master, of};
use crate::coupling::Link;
use crate::error::Error;
use crate::slave::Outcome;
use crate::stabilize::{Environment, Linear, Slopes, Surroundings};

/// What a stabilized master keeps of each component; nothing of those that cannot take part.
#[derive(Default)]
pub(super) struct Stabilized {
    linear: Vec<Option<Linear>>,
    environments: Vec<Shared>,
    modelled: Vec<bool>,
    /// Of those that take part.
    surroundings: Vec<(usize, Surroundings)>,
}

/// An environment that the master renews and the component asks.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Option<Environment>>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Environment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InputDerivatives for Shared {
    fn derivatives(&mut self, time: f64, u: &[f64], x: &[f64], dx: &[f64], du: &mut [f64]) -> bool {
        match &mut *self.lock() {
            Some(environment) => environment.derivatives(time, u, x, dx, du),
            None => {
                du.fill(0.0);
                true
            }
        }
    }
}

impl Master {
    /// Makes the inputs of all components that offer it states of their integrations.
    pub(super) fn prepare_stabilization(&mut self) -> Result<(), Error> {
        if let Some(knot) = self.plan.loops.first() {
            let names = self.loop_names(&knot.outputs, &knot.inputs).join(" -> ");
            return Err(Error::Settings(format!(
                "stabilized steps assume that there is no algebraic loop, but {names} is one: take newton, jacobi with \
                 correction = \"consistent\", or aggregate"
            )));
        }
        let count = self.components.len();
        let mut stabilized = Stabilized {
            linear: vec![None; count],
            environments: vec![Shared::default(); count],
            modelled: vec![false; count],
            surroundings: Vec::new(),
        };
        for component in 0..count {
            let one = self.component(component);
            let can = one.can;
            let Some(states) = can.states.filter(|_| can.directional_derivatives) else {
                self.warnings.push(format!(
                    "{} does not let its inputs be states of its integration (fmuStabilizeInputs): they are extrapolated",
                    self.coupling.components[component]
                ));
                continue;
            };
            stabilized.linear[component] = Some(Linear::new(states, one.inputs.len(), one.outputs.len()));
            stabilized.modelled[component] = true;
            // Each lock is its own, not a copy of one.
            stabilized.environments[component] = Shared::default();
            let shared = stabilized.environments[component].clone();
            let made = self.component(component).slave.stabilize(Box::new(shared));
            of!(self, component, made);
        }
        let modelled: Vec<usize> = (0..count).filter(|&one| stabilized.modelled[one]).collect();
        for &own in &modelled {
            let others = modelled.iter().copied().filter(|&other| other != own).collect();
            let around = Surroundings::new(&self.coupling, own, others);
            stabilized.surroundings.push((own, around));
        }
        self.stabilized = stabilized;
        Ok(())
    }

    /// Whether an input follows a linear model of the other components.
    pub(super) fn is_stabilized(&self, input: usize) -> bool {
        let structure = self.coupling.structure();
        let modelled = |component: usize| self.stabilized.modelled.get(component) == Some(&true);
        let source = structure.sources[input].map(|output| structure.outputs[output]);
        modelled(structure.inputs[input]) && source.is_none_or(modelled)
    }

    /// Inputs are held in the next step.
    pub(super) fn hold_stabilized(&mut self) {
        for environment in &self.stabilized.environments {
            *environment.lock() = None;
        }
    }

    pub(super) fn stabilized_step(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let mut stabilized = std::mem::take(&mut self.stabilized);
        self.take_slopes();
        let renewed = self.renew_environments(&mut stabilized);
        self.stabilized = stabilized;
        renewed?;
        let mut ended = Ended::Done;
        for component in 0..self.components.len() {
            let outcome = self.advance(component, h, final_)?;
            if outcome != Outcome::Done {
                ended = ended.and(component, outcome);
            }
        }
        Ok(ended)
    }

    /// Inputs from outside go on as they say, whatever the order of extrapolation: the model has their slopes.
    fn take_slopes(&mut self) {
        self.signals.evaluate(self.t, 1, &mut self.scratch.signals);
        for (input, first) in self.scratch.curves.first.iter_mut().enumerate() {
            if let Link::Signal(signal) = self.coupling.inputs[input].link {
                *first = self.scratch.signals[signal];
            }
        }
    }

    fn renew_environments(&mut self, stabilized: &mut Stabilized) -> Result<(), Error> {
        for (component, linear) in stabilized.linear.iter_mut().enumerate() {
            if let Some(linear) = linear {
                self.set_inputs(component)?;
                let told = self.component(component).slave.linearize(linear);
                of!(self, component, told);
            }
        }
        let slopes = Slopes {
            first: &self.scratch.curves.first,
            modelled: &stabilized.modelled,
        };
        for (own, around) in &stabilized.surroundings {
            let own = *own;
            let u = &self.values.u[self.coupling.inputs_of(own)];
            let environment = Environment::new(
                &self.coupling,
                self.settings.rule,
                self.t,
                around,
                u,
                &stabilized.linear,
                slopes,
            );
            let Some(environment) = environment else {
                return Err(Error::Settings(format!(
                    "at t = {} the outputs of {} and of those around it determine each other, although their \
                     dependencies do not say so: take newton or aggregate",
                    self.t, self.coupling.components[own]
                )));
            };
            *stabilized.environments[own].lock() = Some(environment);
        }
        Ok(())
    }
}
