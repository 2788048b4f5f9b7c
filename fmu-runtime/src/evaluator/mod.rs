//! Runs a model: keeps the time, evaluates what became stale when it is asked for, and leads through
//! initialization and events. It does not depend on FMI; the C interface and [`Native`](crate::native::Native) are
//! written on top of it.

mod bytes;
mod clocks;
mod events;
mod indicators;
mod stale;

pub use events::Pass;
pub use stale::Stale;

use crate::ModelError;
use crate::implicit::Implicit;
use crate::model::Model;
use clocks::Clocks;
use events::Progress;
use fmu_numerics::{RootFactors, RootStatistics};
use indicators::Indicators;
use stale::Flags;

/// As many states as can be handled in registers.
const FEW: usize = 8;

/// A model with its time, what was evaluated of it, and where it stands in its events.
///
/// Nothing here allocates after [`Evaluator::new`]. A clone is a complete snapshot: it goes on with the same bits.
pub struct Evaluator<M: Model> {
    /// Boxed, because a model may be larger than what a small stack can move around.
    model: Box<M>,
    /// How often code that may change internal fields has run.
    revision: u64,
    time: f64,
    stale: Flags,
    /// What a change may make stale: initial equations only while they hold.
    spoilable: Stale,
    derivatives: Derivatives,
    indicators: Indicators,
    progress: Progress,
    clocks: Clocks,
    /// The conditions of `rising` and `falling` that held after the last event.
    held: Box<[u64]>,
    /// Where the implicit unknowns are searched for, if there are any.
    implicit: Option<Box<Implicit<M>>>,
    /// The states before an event function or before a new vector of states, for comparison.
    before: Box<[f64]>,
    after: Box<[f64]>,
}

fmu_numerics::clone_in_place! {
    [M: Model] Evaluator<M> => Evaluator {
        model, revision, time, stale, spoilable, derivatives, indicators, progress, clocks, held, implicit, before, after
    }
}

impl<M: Model> Evaluator<M> {
    /// Nothing of `model` is evaluated yet; the time is 0.
    pub fn new(model: Box<M>) -> Evaluator<M> {
        let states = vec![0.0; M::COUNTS.states].into_boxed_slice();
        Evaluator {
            implicit: Implicit::of(&model),
            model,
            revision: 0,
            time: 0.0,
            stale: Flags::ALL,
            spoilable: Stale::ALL,
            derivatives: Derivatives::new(M::COUNTS.states),
            indicators: Indicators::new(M::EVENT_INDICATORS),
            progress: Progress::default(),
            clocks: Clocks::new(M::CLOCKS),
            held: vec![0; M::EDGES].into(),
            before: states.clone(),
            after: states,
        }
    }

    /// The model. Its fields hold what was last evaluated: see [`Evaluator::ensure`].
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The model, for changes of any kind: all that was evaluated becomes stale.
    pub fn model_mut(&mut self) -> &mut M {
        self.revision += 1;
        self.spoil(Stale::ALL);
        &mut self.model
    }

    /// Writes the statistics of the integrator to the model, if it asks for them; no equation depends on them.
    pub(crate) fn write_statistics(&mut self, statistics: &crate::solver::Statistics) {
        crate::cosim::write_statistics(statistics, &mut *self.model);
    }

    /// Changes whenever code has run that may change internal fields: events, and calls of
    /// [`Evaluator::model_mut`]. A copy of the model over another scalar is good as long as it stays.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The time.
    #[inline]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Sets the time.
    #[inline]
    pub fn set_time(&mut self, time: f64) {
        if time.to_bits() != self.time.to_bits() {
            self.time = time;
            self.stale.spoil_by_time();
        }
    }

    /// Copies the continuous states to `x`.
    pub fn states(&self, x: &mut [f64]) {
        self.model.states(x);
    }

    /// Sets the continuous states.
    #[inline]
    pub fn set_states(&mut self, x: &[f64]) {
        if !self.has_states(x) {
            self.model.set_states(x);
            self.stale.spoil_by_time();
        }
    }

    /// Whether the continuous states are `x` already.
    #[inline]
    fn has_states(&mut self, x: &[f64]) -> bool {
        let mut few = [0.0; FEW];
        let now = match M::COUNTS.states {
            count @ 0..=FEW => &mut few[..count],
            _ => &mut *self.before,
        };
        self.model.states(now);
        same_bits(x, now)
    }

    /// A Real variable; beyond the model's own: the derivatives of the states, then the time.
    #[inline]
    pub fn real(&self, slot: usize) -> f64 {
        if slot < M::COUNTS.reals {
            return self.model.real(slot);
        }
        let derivatives = self.derivatives.get(M::COUNTS.states);
        let derivative = derivatives.get(slot - M::COUNTS.reals);
        derivative.copied().unwrap_or(self.time)
    }

    /// Sets a Real variable of the model; `spoils` is what depends on it.
    #[inline]
    pub fn set_real(&mut self, slot: usize, value: f64, spoils: Stale) {
        if self.model.real(slot).to_bits() != value.to_bits() {
            self.model.set_real(slot, value);
            self.spoil(spoils);
        }
    }

    /// Sets an Integer or Enumeration; false, and nothing set, if an enumeration has no such item.
    pub fn set_integer(&mut self, slot: usize, value: i32, spoils: Stale) -> bool {
        if self.model.integer(slot) == value {
            return true;
        }
        let known = self.model.set_integer(slot, value);
        if known {
            self.spoil(spoils);
        }
        known
    }

    /// Sets a Boolean.
    pub fn set_boolean(&mut self, slot: usize, value: bool, spoils: Stale) {
        if self.model.boolean(slot) != value {
            self.model.set_boolean(slot, value);
            self.spoil(spoils);
        }
    }

    /// Sets a String.
    pub fn set_string(&mut self, slot: usize, value: &str, spoils: Stale) {
        if self.model.string(slot) != value {
            self.model.set_string(slot, value);
            self.spoil(spoils);
        }
    }

    #[inline]
    fn spoil(&mut self, spoils: Stale) {
        self.stale.spoil(spoils & self.spoilable);
    }

    /// Evaluates what of `needs` is stale. `needs` names everything that comes before it, too: [`Stale`]'s
    /// `FOR_...` constants do.
    #[inline]
    pub fn ensure(&mut self, needs: Stale) -> Result<(), ModelError> {
        if self.stale.early.has(needs) {
            self.begin(needs)?;
        }
        if self.stale.locals && needs.has(Stale::LOCALS) {
            solve(&mut *self.model, &mut self.implicit, self.time, self.revision)?;
            self.model.update_locals(self.time)?;
            self.stale.locals = false;
        }
        if self.stale.derivatives && needs.has(Stale::DERIVATIVES) {
            let derivatives = self.derivatives.get_mut(M::COUNTS.states);
            self.model.eval_derivatives(self.time, derivatives)?;
            self.stale.derivatives = false;
        }
        if self.stale.outputs && needs.has(Stale::OUTPUTS) {
            self.model.update_outputs(self.time)?;
            self.stale.outputs = false;
        }
        if self.stale.indicators && needs.has(Stale::INDICATORS) {
            self.model
                .eval_event_indicators(self.time, self.indicators.raw_mut())?;
            self.stale.indicators = false;
        }
        Ok(())
    }

    /// What does not change while time passes.
    #[cold]
    fn begin(&mut self, needs: Stale) -> Result<(), ModelError> {
        if (self.stale.early & needs).has(Stale::CALCULATED) {
            self.model.update_calculated()?;
            self.stale.early = self.stale.early - Stale::CALCULATED;
        }
        if (self.stale.early & needs).has(Stale::INITIAL) {
            if M::HAS_INITIAL {
                self.model.update_initial(self.time)?;
            }
            self.stale.early = self.stale.early - Stale::INITIAL;
        }
        Ok(())
    }

    /// Copies the derivatives of the states to `dx`, which has a place for each.
    #[inline(always)]
    pub fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), ModelError> {
        if M::COUNTS.states <= FEW && self.stale.derivatives {
            return self.few_derivatives(dx);
        }
        self.ensure(Stale::FOR_DERIVATIVES)?;
        for (dx, derivative) in dx.iter_mut().zip(self.derivatives.get(M::COUNTS.states)) {
            *dx = *derivative;
        }
        Ok(())
    }

    /// The bare equations, for an integrator that passes many points and asks for nothing but derivatives.
    #[inline]
    pub fn sweep(&mut self) -> Result<Sweep<'_, M>, ModelError> {
        if self.stale.early.has(Stale::FOR_INITIAL) {
            self.begin(Stale::FOR_INITIAL)?;
        }
        self.stale.spoil_by_time();
        Ok(Sweep {
            model: &mut self.model,
            time: &mut self.time,
            implicit: &mut self.implicit,
            revision: self.revision,
        })
    }

    /// Few derivatives go from registers to both places: a vector that is read back right after its elements were
    /// written one by one would have to wait for them. Nothing in here can panic but the model.
    #[inline(always)]
    fn few_derivatives(&mut self, dx: &mut [f64]) -> Result<(), ModelError> {
        self.ensure(Stale::FOR_LOCALS)?;
        let mut few = [0.0; FEW];
        self.model
            .eval_derivatives(self.time, &mut few[..M::COUNTS.states])?;
        for (dx, derivative) in dx.iter_mut().zip(few) {
            *dx = derivative;
        }
        self.derivatives.few[..M::COUNTS.states].copy_from_slice(&few[..M::COUNTS.states]);
        self.stale.derivatives = false;
        Ok(())
    }

    /// Copies the event indicators to `z`; none of them is ever exactly 0 (see [`indicators`]).
    pub fn event_indicators(&mut self, z: &mut [f64]) -> Result<(), ModelError> {
        self.ensure(Stale::FOR_INDICATORS)?;
        self.indicators.report(z);
        Ok(())
    }

    /// Starts initialization at `time`: from here to [`Evaluator::exit_initialization`] the initial equations hold.
    pub fn enter_initialization(&mut self, time: f64) {
        self.time = time;
        self.spoilable = Stale::ALL;
        self.stale = Flags::ALL;
        self.indicators.forget();
        self.progress = Progress::default();
        if let Some(implicit) = &mut self.implicit {
            implicit.enter_initialization(&self.model);
        }
    }

    /// Ends initialization; the initial event comes next.
    pub fn exit_initialization(&mut self) -> Result<(), ModelError> {
        self.ensure(Stale::FOR_INITIAL)?;
        self.move_anchor()?;
        self.spoilable = Stale::ALL - Stale::INITIAL;
        self.progress = Progress::initial();
        if M::CLOCKS > 0 {
            self.clocks.start(&*self.model, self.time)?;
        }
        if M::EDGES > 0 {
            self.ensure(Stale::FOR_OUTPUTS)?;
            self.model.edges(self.time, &mut self.held);
        }
        Ok(())
    }
}

impl<M: Model> Evaluator<M> {
    /// From here on, the iterations for implicit unknowns begin at their present values.
    #[inline]
    fn move_anchor(&mut self) -> Result<(), ModelError> {
        if M::COUNTS.unknowns > 0 {
            self.ensure(Stale::FOR_LOCALS)?;
            if let Some(implicit) = &mut self.implicit
                && implicit.anchor(&self.model)
            {
                // From here on all values follow from the new anchor, those at this point too.
                self.stale.spoil_by_time();
            }
        }
        Ok(())
    }

    /// Whether implicit equations without a solution are an error, or ask for a smaller step.
    #[inline]
    fn set_strict(&mut self, is_strict: bool) {
        if let Some(implicit) = &mut self.implicit {
            implicit.set_strict(is_strict);
        }
    }

    /// The model with its implicit unknowns solved, and the factors of their Jacobian, if it has any: what derivatives
    /// need.
    #[inline]
    pub fn solved(&mut self) -> Result<(&M, Option<&RootFactors>), ModelError> {
        if M::COUNTS.unknowns == 0 {
            return Ok((&self.model, None));
        }
        self.ensure(Stale::FOR_LOCALS)?;
        let factors = match &mut self.implicit {
            Some(implicit) => Some(implicit.factors(&mut self.model, self.time, self.revision)?),
            None => None,
        };
        Ok((&self.model, factors))
    }

    /// What the search for implicit unknowns has done so far.
    pub fn implicit_statistics(&self) -> RootStatistics {
        let statistics = self.implicit.as_ref().map(|implicit| implicit.statistics());
        statistics.unwrap_or_default()
    }
}

/// Finds the implicit unknowns at the present point.
#[inline(always)]
fn solve<M: Model>(
    model: &mut M,
    implicit: &mut Option<Box<Implicit<M>>>,
    time: f64,
    revision: u64,
) -> Result<(), ModelError> {
    if M::COUNTS.unknowns == 0 {
        return Ok(());
    }
    match implicit {
        Some(implicit) => implicit.solve(model, time, revision),
        None => Ok(()),
    }
}

/// See [`Evaluator::sweep`].
pub struct Sweep<'a, M: Model> {
    model: &'a mut M,
    time: &'a mut f64,
    implicit: &'a mut Option<Box<Implicit<M>>>,
    revision: u64,
}

impl<M: Model> Sweep<'_, M> {
    /// Writes the derivatives at `(t, x)` to `dx`.
    #[inline(always)]
    pub fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.model.set_states(x);
        solve(self.model, self.implicit, t, self.revision)?;
        self.model.update_locals(t)?;
        self.model.eval_derivatives(t, dx)
    }

    /// Ends at `(t, x)`. Without it, the model is at the last point that was passed, at an unknown time.
    #[inline(always)]
    pub fn end(self, t: f64, x: &[f64]) {
        *self.time = t;
        self.model.set_states(x);
    }
}

/// The last derivatives: in place if there are few.
struct Derivatives {
    few: [f64; FEW],
    many: Box<[f64]>,
}

fmu_numerics::clone_in_place! { [] Derivatives => Derivatives { few, many } }

impl Derivatives {
    fn new(count: usize) -> Derivatives {
        let many = if count <= FEW { 0 } else { count };
        Derivatives {
            few: [0.0; FEW],
            many: vec![0.0; many].into(),
        }
    }

    #[inline]
    fn get(&self, count: usize) -> &[f64] {
        match count {
            0..=FEW => &self.few[..count],
            _ => &self.many,
        }
    }

    #[inline]
    fn get_mut(&mut self, count: usize) -> &mut [f64] {
        match count {
            0..=FEW => &mut self.few[..count],
            _ => &mut self.many,
        }
    }
}

#[inline]
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
