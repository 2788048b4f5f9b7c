//! A model as a system to integrate: time, inputs and states go in, derivatives come out.

use super::inputs::Inputs;
use super::workspace::Copies;
use super::{Environment, Facts};
use crate::ModelError;
use crate::evaluator::{Evaluator, Stale, Sweep};
use crate::model::Model;
use crate::solver::{Method, StepError, System};

/// The inputs of a model, and the facts about it.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub facts: Facts,
    pub inputs: Inputs,
    /// Slots of the inputs that are states of the integration.
    pub stabilized: Box<[usize]>,
    /// See [`Copies`].
    pub stamp: u64,
}

fmu_numerics::clone_in_place! { [] Surroundings => Surroundings { facts, inputs, stabilized, stamp } }

/// The model during a communication step. Behind its own states, the state vector has the stabilized inputs.
pub(super) struct Plant<'a, M: Model, E> {
    pub evaluator: &'a mut Evaluator<M>,
    pub copies: &'a mut Copies<M, E>,
    pub surroundings: &'a Surroundings,
}

impl<M: Model, E: Environment<M>> Plant<'_, M, E> {
    /// Brings the model to a point.
    #[inline]
    pub fn place(&mut self, t: f64, x: &[f64]) {
        self.evaluator.set_time(t);
        let (own, stabilized) = x.split_at(M::COUNTS.states);
        self.evaluator.set_states(own);
        self.apply_inputs(t, stabilized);
    }

    #[inline]
    fn apply_inputs(&mut self, t: f64, stabilized: &[f64]) {
        self.surroundings.inputs.apply(self.evaluator, t);
        self.copies.environment.apply(self.evaluator, t);
        for (slot, u) in self.surroundings.stabilized.iter().zip(stabilized) {
            self.evaluator.set_real(*slot, *u, Stale::BY_VARIABLE);
        }
    }
}

impl<M: Model, E: Environment<M>> System for Plant<'_, M, E> {
    type Error = ModelError;

    #[inline]
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let (x, u) = x.split_at(M::COUNTS.states);
        let (dx, du) = dx.split_at_mut(M::COUNTS.states);
        self.apply_inputs(t, u);
        self.evaluator.set_time(t);
        self.evaluator.sweep()?.derivatives(t, x, dx)?;
        if u.is_empty() {
            return Ok(());
        }
        match &mut self.copies.stabilizer {
            Some(stabilizer) => stabilizer.derivatives(t, u, x, dx, du),
            // Without a master that knows better, inputs stay where they are.
            None => {
                du.fill(0.0);
                Ok(())
            }
        }
    }
}

/// Without the stiff integrator no Jacobian is needed.
#[cfg(not(feature = "bdf"))]
impl<M: Model, E: Environment<M>> crate::solver::ImplicitSystem for Plant<'_, M, E> {
    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut [f64]) -> Result<(), ModelError> {
        Err(ModelError::new(
            "this model was built without the stiff integrator",
        ))
    }
}

/// The model where nothing but its states moves.
pub(super) struct Bare<'a, M: Model>(pub Sweep<'a, M>);

impl<M: Model> System for Bare<'_, M> {
    type Error = ModelError;

    #[inline(always)]
    fn known_size() -> Option<usize> {
        Some(M::COUNTS.states)
    }

    #[inline(always)]
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.0.derivatives(t, x, dx)
    }
}

/// Makes all steps to `end` while nothing moves but the states, and brings the model there. `None` if the method
/// has no short way to do that.
#[inline]
pub(super) fn run<M: Model>(
    method: &mut Method,
    evaluator: &mut Evaluator<M>,
    end: f64,
) -> Option<Result<(), StepError>> {
    macro_rules! run {
        ($inner:expr) => {{
            let mut bare = match evaluator.sweep() {
                Ok(sweep) => Bare(sweep),
                Err(error) => return Some(Err(StepError::Model(error))),
            };
            let result = $inner.run(&mut bare, end);
            bare.0.end($inner.time(), $inner.states());
            Some(result)
        }};
    }
    match method {
        Method::Euler(inner) => run!(inner),
        Method::RungeKutta4(inner) => run!(inner),
        _ => None,
    }
}
