//! Exact derivatives of outputs by time: the model over jets, its states as series that the equations themselves
//! continue term by term.

use super::inputs::{Inputs, MAX_INPUT_ORDER};
use crate::ModelError;
use crate::evaluator::Evaluator;
use crate::model::{Equations, Model, Structure};
use crate::scalar::Jet;

/// The highest derivative of an output.
pub const MAX_OUTPUT_ORDER: usize = MAX_INPUT_ORDER;

type Term = Jet<MAX_OUTPUT_ORDER>;

/// All values of a model at one point, as series in time.
pub struct Series<M: Model> {
    model: Box<M::Lifted<Term>>,
    states: Box<[Term]>,
    derivatives: Box<[Term]>,
    plain: Box<[f64]>,
}

impl<M: Model> Series<M> {
    pub(super) fn new(model: &M) -> Series<M> {
        let zero = vec![Jet::plain(0.0); M::COUNTS.states].into_boxed_slice();
        Series {
            model: Box::new(model.lifted()),
            states: zero.clone(),
            derivatives: zero,
            plain: vec![0.0; M::COUNTS.states].into(),
        }
    }

    /// Follows the model from where it is, with its inputs as curves.
    pub(super) fn evaluate(
        &mut self,
        evaluator: &mut Evaluator<M>,
        inputs: &Inputs,
    ) -> Result<(), ModelError> {
        let t = Jet::variable(evaluator.time());
        evaluator.solved()?;
        evaluator.model().lift_values_into(&mut self.model);
        for (slot, series) in inputs.series(evaluator) {
            self.model.set_real(slot, series);
        }
        evaluator.states(&mut self.plain);
        for (state, plain) in self.states.iter_mut().zip(&self.plain) {
            *state = Jet::plain(*plain);
        }
        for k in 0..=MAX_OUTPUT_ORDER {
            self.model.set_states(&self.states);
            if M::COUNTS.unknowns > 0 && k > 0 {
                self.continue_unknowns(evaluator, t, k)?;
            }
            self.model.update_locals(t)?;
            self.model.eval_derivatives(t, &mut self.derivatives)?;
            // x' = f: the k-th term of f is k + 1 times the next one of x.
            if k < MAX_OUTPUT_ORDER {
                for (state, derivative) in self.states.iter_mut().zip(&self.derivatives) {
                    let term = if k == 0 {
                        derivative.value
                    } else {
                        derivative.terms[k - 1]
                    };
                    state.terms[k] = term / (k + 1) as f64;
                }
            }
        }
        self.model.update_outputs(t)
    }

    /// The implicit function theorem for one order: with the `k`-th terms of the unknowns at 0, those of the residuals are
    /// what the others have to make up for.
    fn continue_unknowns(
        &mut self,
        evaluator: &mut Evaluator<M>,
        t: Term,
        k: usize,
    ) -> Result<(), ModelError> {
        let (_, Some(factors)) = evaluator.solved()? else {
            return Ok(());
        };
        let mut unknowns = vec![Jet::plain(0.0); M::COUNTS.unknowns];
        let mut residuals = unknowns.clone();
        self.model.update_locals(t)?;
        self.model.update_outputs(t)?;
        self.model.eval_residuals(t, &mut residuals)?;
        let mut change: Vec<f64> = residuals.iter().map(|residual| residual.terms[k - 1]).collect();
        factors.substitute(&mut change);
        self.model.unknowns(&mut unknowns);
        for (unknown, change) in unknowns.iter_mut().zip(change) {
            unknown.terms[k - 1] = change;
        }
        self.model.set_unknowns(&unknowns);
        Ok(())
    }

    /// The derivative of order `k`, up to [`MAX_OUTPUT_ORDER`], of a Real variable; beyond the model's own: of the
    /// derivatives of the states, then of the time.
    pub fn derivative(&self, slot: usize, k: usize) -> f64 {
        match slot.checked_sub(M::COUNTS.reals) {
            None => self.model.real(slot).derivative(k),
            Some(state) => match self.derivatives.get(state) {
                Some(derivative) => derivative.derivative(k),
                None => Jet::<MAX_OUTPUT_ORDER>::variable(0.0).derivative(k),
            },
        }
    }
}
