//! Stabilized steps: all components at once, and the inputs of each follow a linear model of the others while it steps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fmu_importer::InputDerivatives;
use nalgebra::DMatrix;
use rayon::prelude::*;

use super::place::Place;
use super::step::Ended;
use super::{Master, of};
use crate::component::ComponentError;
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::Parallel;
use crate::stabilize::{Environment, Linear, Slopes, Surroundings};

/// Operations of matrices that make it worthwhile to wake another thread.
const LARGE: usize = 1_000_000;

/// What a stabilized master keeps of each component; nothing of those that cannot take part.
#[derive(Default)]
pub(super) struct Stabilized {
    pub linear: Vec<Option<Linear>>,
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
        let count = self.components.len();
        let mut stabilized = Stabilized {
            linear: vec![None; count],
            environments: vec![Shared::default(); count],
            modelled: vec![false; count],
            surroundings: Vec::new(),
        };
        for component in 0..count {
            let one = self.place(component);
            let Some(states) = one.can.states else {
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
            let made = self.place(component).component.stabilize(Box::new(shared));
            of!(self, component, made);
        }
        let modelled: Vec<usize> = (0..count).filter(|&one| stabilized.modelled[one]).collect();
        for &own in &modelled {
            let others = modelled.iter().copied().filter(|&other| other != own).collect();
            let around = Surroundings::new(&self.coupling, own, others);
            stabilized.surroundings.push((own, around));
        }
        self.memory.stabilized = stabilized;
        Ok(())
    }

    /// Whether an input follows a linear model of the other components.
    pub(super) fn is_stabilized(&self, input: usize) -> bool {
        let structure = self.coupling.structure();
        let modelled = |component: usize| self.memory.stabilized.modelled.get(component) == Some(&true);
        let source = structure.sources[input].map(|output| structure.outputs[output]);
        modelled(structure.inputs[input]) && source.is_none_or(modelled)
    }

    /// Inputs are held in the next step.
    pub(super) fn hold_stabilized(&mut self) {
        for environment in &self.memory.stabilized.environments {
            *environment.lock() = None;
        }
    }

    pub(super) fn stabilized_step(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let mut stabilized = std::mem::take(&mut self.memory.stabilized);
        self.take_slopes();
        let renewed = self.renew_environments(&mut stabilized);
        self.memory.stabilized = stabilized;
        renewed?;
        self.at_once(h, final_)
    }

    /// External inputs follow their own slopes, independent of the order of extrapolation: the model contains the slopes.
    fn take_slopes(&mut self) {
        self.signals
            .evaluate(self.state.t, 1, &mut self.memory.algebra.signals);
        for (input, first) in self.memory.extrapolation.curves.first.iter_mut().enumerate() {
            if let Link::Signal(signal) = self.coupling.inputs[input].link {
                *first = self.memory.algebra.signals[signal];
            }
        }
    }

    fn renew_environments(&mut self, stabilized: &mut Stabilized) -> Result<(), Error> {
        self.linearize(stabilized)?;
        self.refuse_loops(&stabilized.linear)?;
        let (coupling, values, settings, t) =
            (&self.coupling, &self.state.values, &self.settings, self.state.t);
        let slopes = Slopes {
            first: &self.memory.extrapolation.curves.first,
            modelled: &stabilized.modelled,
        };
        let renew = |(own, around): &(usize, Surroundings)| {
            let u = &values.u[coupling.inputs_of(*own)];
            let environment =
                Environment::new(coupling, settings.rule, t, around, u, &stabilized.linear, slopes);
            let found = environment.is_some();
            *stabilized.environments[*own].lock() = environment;
            if found { None } else { Some(*own) }
        };
        // Each reduces a matrix as large as all states of the others.
        let states: usize = stabilized
            .linear
            .iter()
            .flatten()
            .map(|linear| linear.x.len())
            .sum();
        let pays = states * states * states * stabilized.surroundings.len() > LARGE;
        let closed = match settings.parallel {
            Parallel::Never => stabilized.surroundings.iter().find_map(renew),
            Parallel::WhenItPays if !pays => stabilized.surroundings.iter().find_map(renew),
            _ => stabilized.surroundings.par_iter().find_map_first(renew),
        };
        match closed {
            None => Ok(()),
            Some(own) => Err(Error::Settings(format!(
                "at t = {t} the outputs of {} and of those around it determine each other, although their \
                 dependencies do not say so: take newton or aggregate",
                coupling.components[own]
            ))),
        }
    }

    /// Asks all components that have one for their linear model, at once where that pays for steps.
    fn linearize(&mut self, stabilized: &mut Stabilized) -> Result<(), Error> {
        let at_once = self.in_parallel();
        let u = &self.state.values.u;
        let ask = |(one, linear): (&Mutex<Place>, &mut Option<Linear>)| {
            let Some(linear) = linear else {
                return Ok(());
            };
            let mut one = one.lock().unwrap_or_else(PoisonError::into_inner);
            let inputs = one.inputs.clone();
            one.component.set_inputs(&u[inputs])?;
            one.component.linearize(linear)
        };
        let all = &mut stabilized.linear;
        let asked: Vec<Result<(), ComponentError>> = match at_once {
            true => self
                .components
                .par_iter()
                .zip(all.par_iter_mut())
                .map(ask)
                .collect(),
            false => self.components.iter().zip(all.iter_mut()).map(ask).collect(),
        };
        for (component, asked) in asked.into_iter().enumerate() {
            of!(self, component, asked);
        }
        Ok(())
    }

    /// Stabilized steps assume that D K is nilpotent (Viel 2014, assumption 1): outputs determine each other in an order.
    fn refuse_loops(&self, linear: &[Option<Linear>]) -> Result<(), Error> {
        for unknowns in &self.plan.loops {
            let through = |row: usize, column: usize| {
                let Link::Output { output, gain, .. } = self.coupling.inputs[unknowns.inputs[row]].link
                else {
                    return 0.0;
                };
                let component = self.coupling.structure().outputs[output];
                let inputs = self.coupling.inputs_of(component);
                let input = unknowns.inputs[column];
                match &linear[component] {
                    _ if !inputs.contains(&input) => 0.0,
                    Some(linear) => {
                        let first = self.coupling.outputs_of(component).start;
                        gain * linear.d[(output - first, input - inputs.start)]
                    }
                    None => 1.0,
                }
            };
            let count = unknowns.inputs.len();
            if !is_nilpotent(&DMatrix::from_fn(count, count, through)) {
                let names = self.loop_names(&unknowns.outputs, &unknowns.inputs).join(" -> ");
                return Err(Error::Settings(format!(
                    "stabilized steps assume that there is no algebraic loop, but {names} is one: take newton, jacobi with \
                     correction = \"consistent\", or aggregate"
                )));
            }
        }
        Ok(())
    }
}

/// Whether a power of a matrix is zero, but for rounding.
fn is_nilpotent(matrix: &DMatrix<f64>) -> bool {
    let size = matrix
        .row_iter()
        .map(|row| row.iter().map(|entry| entry.abs()).sum::<f64>());
    let size = size.fold(0.0, f64::max);
    if size == 0.0 {
        return true;
    }
    let scaled = matrix / size;
    let mut power = scaled.clone();
    for _ in 1..matrix.nrows() {
        power = &power * &scaled;
    }
    power.iter().all(|entry| entry.abs() < 1e-12)
}
