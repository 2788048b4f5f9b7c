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
    tape: Box<Tape>,
    states: Box<[Adjoint]>,
    derivatives: Box<[Adjoint]>,
    variables: Vec<Adjoint>,
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
            tape: Box::default(),
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
        tape.record(|| -> Result<(), ModelError> {
            let mut now = Adjoint::constant(time);
            for known in knowns {
                variables.push(match *known {
                    Known::State(number) => vary(&mut states[number]),
                    Known::Real(slot) => {
                        let mut value = lifted.real(slot);
                        let variable = vary(&mut value);
                        lifted.set_real(slot, value);
                        variable
                    }
                    Known::Time => vary(&mut now),
                });
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
        for (derivative, variable) in gradient.iter_mut().zip(variables) {
            *derivative = tape.derivative(*variable);
        }
        Ok(true)
    }
}

/// Makes a number a variable; one that is named twice is the same variable.
fn vary(value: &mut Adjoint) -> Adjoint {
    if value.same(Adjoint::constant(value.value())) {
        *value = Adjoint::variable(value.value());
    }
    *value
}
