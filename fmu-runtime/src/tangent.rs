//! A model over dual numbers: how its unknowns change when its knowns do, exact to rounding.

use crate::ModelError;
use crate::implicit::Follower;
use crate::jacobian::Directional;
use crate::model::{Equations, Model, Structure};
use crate::scalar::Dual;
use fmu_numerics::RootFactors;

/// A copy of a model over dual numbers with `N` lanes, one for each direction that is followed at once.
///
/// ```
/// use fmu_runtime::prelude::*;
/// use fmu_runtime::tangent::{Tangent, Unknowns};
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
/// let mut tangent = Tangent::<Decay, 1>::new(&decay);
/// tangent.load(&decay, 0.0);
/// tangent.seed_state(0, 0, 1.0);
/// tangent.evaluate(Unknowns::DERIVATIVES)?;
/// assert_eq!(tangent.derivatives()[0].lanes, [-12.0]); // d(-k x^2)/dx
/// # Ok::<(), ModelError>(())
/// ```
pub struct Tangent<M: Model, const N: usize> {
    /// Boxed, because a large model over many lanes is more than a small stack holds.
    model: Box<M::Lifted<Dual<N>>>,
    time: Dual<N>,
    states: Box<[Dual<N>]>,
    derivatives: Box<[Dual<N>]>,
    /// The implicit unknowns, if there are any.
    follower: Follower<N>,
}

/// What [`Tangent::evaluate`] evaluates, beside the locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknowns {
    /// Calculated parameters and initial equations come first.
    pub initial: bool,
    /// State derivatives.
    pub derivatives: bool,
    /// Outputs.
    pub outputs: bool,
}

impl Unknowns {
    /// The state derivatives alone.
    pub const DERIVATIVES: Unknowns = Unknowns {
        initial: false,
        derivatives: true,
        outputs: false,
    };
    /// State derivatives and outputs.
    pub const ALL: Unknowns = Unknowns {
        initial: false,
        derivatives: true,
        outputs: true,
    };
    /// All of it, from the initial equations on.
    pub const INITIAL: Unknowns = Unknowns {
        initial: true,
        derivatives: true,
        outputs: true,
    };
}

impl<M: Model, const N: usize> Tangent<M, N> {
    /// Room for a model like `model`, internal fields included.
    pub fn new(model: &M) -> Tangent<M, N> {
        let plain = Dual::plain(0.0);
        Tangent {
            model: Box::new(model.lifted()),
            time: plain,
            states: vec![plain; M::COUNTS.states].into(),
            derivatives: vec![plain; M::COUNTS.states].into(),
            follower: Follower::new(M::COUNTS.unknowns),
        }
    }

    /// Takes over the values and the time, with all lanes 0. Internal fields stay as they were in
    /// [`Tangent::new`]: after an event, make a new one. Implicit unknowns have the values that solve their equations; where
    /// these have no unique solution nearby, [`Tangent::evaluate`] fails.
    pub fn load(&mut self, model: &M, time: f64) {
        self.load_values(model);
        self.model.states(&mut self.states);
        self.time = Dual::plain(time);
        if M::COUNTS.unknowns > 0 {
            // Without factors, the next evaluation reports it.
            let _ = self.follower.factorize::<M>(&mut self.model, time);
            self.load_values(model);
        }
    }

    /// The same with the factors of [`Evaluator::solved`](crate::evaluator::Evaluator::solved), which then need not be
    /// found again.
    #[inline]
    pub fn load_solved(&mut self, (model, factors): (&M, Option<&RootFactors>), time: f64) {
        self.load_values(model);
        self.take_factors(factors);
        self.model.states(&mut self.states);
        self.time = Dual::plain(time);
    }

    /// Takes over the values, and leaves the lanes of the states as they are; those of all else become 0.
    pub(crate) fn load_values(&mut self, model: &M) {
        model.lift_values_into(&mut self.model);
    }

    /// Takes over the factors that belong to the values.
    #[inline]
    pub(crate) fn take_factors(&mut self, factors: Option<&RootFactors>) {
        if let Some(factors) = factors {
            self.follower.take(factors);
        }
    }

    /// Sets the time, with all lanes 0, and the states without their lanes.
    ///
    /// # Panics
    /// Where there are fewer values than states.
    #[inline]
    pub(crate) fn set_values(&mut self, time: f64, x: &[f64]) {
        self.time = Dual::plain(time);
        let count = M::COUNTS.states;
        for (state, x) in self.states[..count].iter_mut().zip(&x[..count]) {
            state.value = *x;
        }
    }

    /// Adds to the seed of the `index`-th state.
    #[inline]
    pub fn seed_state(&mut self, index: usize, lane: usize, seed: f64) {
        self.states[index].lanes[lane] += seed;
    }

    /// Sets the seeds of all states.
    ///
    /// # Panics
    /// Where there are fewer seeds than states.
    #[inline]
    pub fn seed_states(&mut self, lane: usize, seeds: &[f64]) {
        // A length that the compiler knows makes straight code for small models.
        let count = M::COUNTS.states;
        for (state, seed) in self.states[..count].iter_mut().zip(&seeds[..count]) {
            state.lanes[lane] = *seed;
        }
    }

    /// Adds to the seed of the time.
    #[inline]
    pub fn seed_time(&mut self, lane: usize, seed: f64) {
        self.time.lanes[lane] += seed;
    }

    /// Adds to the seed of a Real variable that is not a state.
    pub fn seed_real(&mut self, slot: usize, lane: usize, seed: f64) {
        let mut value = self.model.real(slot);
        value.lanes[lane] += seed;
        self.model.set_real(slot, value);
    }

    /// Runs the equations of calculated parameters, for knowns that are parameters. [`Tangent::evaluate`] comes after it.
    pub fn evaluate_calculated(&mut self) -> Result<(), ModelError> {
        self.model.update_calculated()
    }

    /// Runs the equations.
    pub fn evaluate(&mut self, unknowns: Unknowns) -> Result<(), ModelError> {
        self.model.set_states(&self.states);
        if unknowns.initial {
            self.model.update_calculated()?;
            self.model.update_initial(self.time)?;
        }
        if M::COUNTS.unknowns > 0 {
            self.follower.follow(&mut *self.model, self.time)?;
        }
        self.model.update_locals(self.time)?;
        if unknowns.derivatives {
            self.model.eval_derivatives(self.time, &mut self.derivatives)?;
        }
        if unknowns.outputs {
            self.model.update_outputs(self.time)?;
        }
        Ok(())
    }

    /// The state derivatives with their lanes.
    #[inline]
    pub fn derivatives(&self) -> &[Dual<N>] {
        &self.derivatives[..M::COUNTS.states]
    }

    /// A Real variable with its lanes.
    #[inline]
    pub fn real(&self, slot: usize) -> Dual<N> {
        self.model.real(slot)
    }
}

/// For the Jacobian of the state derivatives by the states.
impl<M: Model, const N: usize> Directional<N> for Tangent<M, N> {
    type Error = ModelError;

    fn seed(&mut self, color: &[u32], first: u32) {
        for (state, color) in self.states.iter_mut().zip(color) {
            state.lanes = [0.0; N];
            if let Some(lane) = state.lanes.get_mut(color.wrapping_sub(first) as usize) {
                *lane = 1.0;
            }
        }
    }

    #[inline]
    fn evaluate(&mut self, unknowns: &mut [Dual<N>]) -> Result<(), ModelError> {
        self.model.set_states(&self.states);
        if M::COUNTS.unknowns > 0 {
            self.follower.follow(&mut *self.model, self.time)?;
        }
        self.model.update_locals(self.time)?;
        self.model.eval_derivatives(self.time, unknowns)
    }
}
