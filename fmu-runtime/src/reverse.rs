//! A model in reverse mode: how one weighted sum of its unknowns changes with all knowns, in one evaluation.

use crate::ModelError;
use crate::model::{Equations, Model, Structure};
use crate::scalar::{Adjoint, Scalar, Tape};
use crate::tangent::Unknowns;

/// A copy of a model that records its evaluations.
///
/// ```
/// use fmu_runtime::prelude::*;
/// use fmu_runtime::reverse::{Known, Reverse};
/// use fmu_runtime::tangent::Unknowns;
///
/// /// Decay
/// #[model]
/// struct Decay {
///     /// Amount
///     #[state(start = 2.0)]
///     x: f64,
///     /// Rate
///     #[parameter(start = 3.0)]
///     k: f64,
/// }
///
/// #[equations]
/// impl Model for Decay {
///     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
///         Derivatives::<Self> { x: -self.k * self.x * self.x }
///     }
/// }
///
/// let decay = Decay::default();
/// let mut reverse = Reverse::new(&decay);
/// let knowns = [Known::State(0), Known::Real(1)];
/// let (derivative, mut gradient) = ([(2, 1.0)], [0.0; 2]);
/// reverse.differentiate((&decay, 0.0), (&knowns, false), Unknowns::DERIVATIVES, &derivative, &mut gradient)?;
/// assert_eq!(gradient, [-12.0, -4.0]); // -2 k x and -x^2
/// # Ok::<(), ModelError>(())
/// ```
pub struct Reverse<M: Model> {
    model: Box<M::Lifted<Adjoint>>,
    tape: Tape,
    states: Box<[Adjoint]>,
    derivatives: Box<[Adjoint]>,
    /// The number of the variable that each known is.
    variables: Vec<u32>,
}

/// What to differentiate by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A state by its number.
    State(usize),
    /// A Real variable that is not a state, by its slot.
    Real(usize),
    /// The time.
    Time,
}

impl<M: Model> Reverse<M> {
    /// Room for a model like `model`, internal fields included.
    pub fn new(model: &M) -> Reverse<M> {
        let plain = Adjoint::constant(0.0);
        Reverse {
            model: Box::new(model.lifted()),
            tape: Tape::default(),
            states: vec![plain; M::COUNTS.states].into(),
            derivatives: vec![plain; M::COUNTS.states].into(),
            variables: Vec::new(),
        }
    }

    /// The derivatives by the knowns of the sum of `weights`, slots of Real variables with the state derivatives behind them, where
    /// the model has these values at this time. With `calculated`, knowns reach the unknowns through calculated parameters,
    /// too. False, and no derivatives, if the evaluation is too long to be recorded.
    pub fn differentiate(
        &mut self,
        (model, time): (&M, f64),
        (knowns, calculated): (&[Known], bool),
        unknowns: Unknowns,
        weights: &[(u32, f64)],
        gradient: &mut [f64],
    ) -> Result<bool, ModelError> {
        let Reverse {
            model: lifted,
            tape,
            states,
            derivatives,
            variables,
        } = self;
        model.lift_values_into(lifted);
        lifted.states(states);
        variables.clear();
        let mut are_in_order = true;
        // Most often all states come first, in their order.
        let is_state = |(number, known): &(usize, &Known)| **known == Known::State(*number);
        let first = knowns.iter().enumerate().take_while(is_state).count();
        tape.record_with(knowns.len(), || -> Result<(), ModelError> {
            let mut now = Adjoint::constant(time);
            for (number, state) in states[..first].iter_mut().enumerate() {
                *state = Adjoint::numbered(state.value(), number);
            }
            variables.extend(0..first as u32);
            for (number, known) in knowns.iter().enumerate().skip(first) {
                let variable = match *known {
                    Known::State(state) => vary(&mut states[state], number),
                    Known::Real(slot) => {
                        let mut value = lifted.real(slot);
                        let variable = vary(&mut value, number);
                        lifted.set_real(slot, value);
                        variable
                    }
                    Known::Time => vary(&mut now, number),
                };
                are_in_order &= variable == number;
                variables.push(variable as u32);
            }
            lifted.set_states(states);
            if calculated || unknowns.initial {
                lifted.update_calculated()?;
            }
            if unknowns.initial {
                lifted.update_initial(now)?;
            }
            lifted.update_locals(now)?;
            if unknowns.derivatives {
                lifted.eval_derivatives(now, derivatives)?;
            }
            if unknowns.outputs {
                lifted.update_outputs(now)?;
            }
            Ok(())
        })?;
        if tape.is_full() {
            return Ok(false);
        }
        let result = |&(slot, weight): &(u32, f64)| match (slot as usize).checked_sub(M::COUNTS.reals) {
            Some(state) => (derivatives[state], weight),
            None => (lifted.real(slot as usize), weight),
        };
        tape.go_back(weights.iter().map(result));
        let found = tape.derivatives();
        match are_in_order {
            true => gradient[..found.len()].copy_from_slice(found),
            false => {
                for (derivative, &variable) in gradient.iter_mut().zip(&*variables) {
                    *derivative = found[variable as usize];
                }
            }
        }
        Ok(true)
    }
}

/// Makes a number the variable with this number, and returns it; one that is named twice is the variable that it became first.
#[inline(always)]
fn vary(value: &mut Adjoint, number: usize) -> usize {
    match value.variable_number() {
        Some(known) => known,
        None => {
            *value = Adjoint::numbered(value.value(), number);
            number
        }
    }
}
