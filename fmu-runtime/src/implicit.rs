//! Implicit unknowns: the values at which `fn residuals` is zero, and how they change.
//!
//! The iteration begins at an *anchor*, which moves at initialization, at events and at completed steps only. So the
//! values at a point do not depend on what was evaluated before, and going back to a point gives the same bits.
//! Derivatives come from the implicit function theorem: the Jacobian of the residuals is factorized once per point, and each
//! direction and each order takes one substitution.

use crate::ModelError;
use crate::describe::{Role, described};
use crate::model::{Equations, Model, Structure};
use crate::scalar::Dual;
use crate::stored::{Damaged, Reader, Writer};
use fmu_numerics::{NoRoot, Residuals, Root, RootFactors, RootStatistics, Square, WhyNoRoot};

/// So many columns of the Jacobian are found in one evaluation.
const LANES: usize = 4;

/// The implicit unknowns of a model under way.
pub(crate) struct Implicit<M: Model> {
    root: Root,
    /// Where the iteration begins.
    anchor: Box<[f64]>,
    /// The declared start values, or those that were set instead.
    start: Box<[f64]>,
    /// The unknowns as they were written to the model last; what differs from it was set from outside.
    written: Box<[f64]>,
    /// Before initialization: what is set is a start value.
    is_guessed: bool,
    /// A failure is an error: during initialization and events.
    is_strict: bool,
    /// The factors are those at the solution.
    is_factorized: bool,
    /// The model over dual numbers, with its internal fields at a revision.
    copy: Option<(u64, Box<Copied<M>>)>,
}

/// A model over dual numbers, and room for its unknowns and residuals.
struct Copied<M: Model> {
    model: M::Lifted<Dual<LANES>>,
    unknowns: Box<[Dual<LANES>]>,
    residuals: Box<[Dual<LANES>]>,
}

impl<M: Model> Clone for Implicit<M> {
    /// A copy over dual numbers is made again where it is needed: snapshots do not hold one.
    fn clone(&self) -> Implicit<M> {
        Implicit {
            root: self.root.clone(),
            anchor: self.anchor.clone(),
            start: self.start.clone(),
            written: self.written.clone(),
            copy: None,
            ..*self
        }
    }
}

impl<M: Model> Implicit<M> {
    /// The unknowns of a model before initialization; `None` where it has none.
    pub fn of(model: &M) -> Option<Box<Implicit<M>>> {
        if M::COUNTS.unknowns == 0 {
            return None;
        }
        let mut start = vec![0.0; M::COUNTS.unknowns].into_boxed_slice();
        model.unknowns(&mut start);
        Some(Box::new(Implicit {
            root: Root::new(&nominals::<M>()),
            anchor: start.clone(),
            written: start.clone(),
            start,
            is_guessed: true,
            is_strict: true,
            is_factorized: false,
            copy: None,
        }))
    }

    /// Initialization begins: from the start values.
    pub fn enter_initialization(&mut self, model: &M) {
        self.take_start_values(model);
        self.anchor.copy_from_slice(&self.start);
        (self.is_guessed, self.is_strict) = (false, true);
    }

    /// An event begins or ends.
    pub fn set_strict(&mut self, is_strict: bool) {
        self.is_strict = is_strict;
    }

    /// The next iterations begin at the present solution; true if that is another point than before.
    pub fn anchor(&mut self, model: &M) -> bool {
        let before = self.anchor.clone();
        model.unknowns(&mut self.anchor);
        self.anchor != before
    }

    /// What was done so far.
    pub fn statistics(&self) -> RootStatistics {
        self.root.statistics()
    }

    /// Unknowns that were set from outside are start values.
    fn take_start_values(&mut self, model: &M) {
        let mut now = vec![0.0; self.start.len()];
        model.unknowns(&mut now);
        for ((start, written), now) in self.start.iter_mut().zip(&mut self.written).zip(now) {
            if now.to_bits() != written.to_bits() {
                (*start, *written) = (now, now);
            }
        }
    }

    /// Finds the unknowns at the present point, and writes them to the model.
    pub fn solve(&mut self, model: &mut M, time: f64, revision: u64) -> Result<(), ModelError> {
        if self.is_guessed {
            self.take_start_values(model);
            self.anchor.copy_from_slice(&self.start);
        }
        self.is_factorized = false;
        let mut copy = self.lifted(model, revision);
        let mut point = Point {
            model,
            copy: &mut copy,
            time,
        };
        let mut found = self.root.solve(&mut point, &self.anchor);
        if found.is_err() && self.anchor != self.start {
            found = self.root.solve(&mut point, &self.start).or(found);
        }
        self.copy = Some((revision, copy));
        match found {
            Ok(()) => self.written.copy_from_slice(self.root.x()),
            // What is read now is as good as before.
            Err(_) => self.written.copy_from_slice(&self.anchor),
        }
        model.set_unknowns(&self.written);
        found.map_err(|none| self.failure(none, time))
    }

    /// The factors of the Jacobian at the solution, which [`Implicit::solve`] has found.
    pub fn factors(&mut self, model: &mut M, time: f64, revision: u64) -> Result<&RootFactors, ModelError> {
        if !self.is_factorized {
            let mut copy = self.lifted(model, revision);
            let mut point = Point {
                model,
                copy: &mut copy,
                time,
            };
            let factorized = self.root.factorize(&mut point);
            self.copy = Some((revision, copy));
            factorized.map_err(|none| self.failure(none, time))?;
            self.is_factorized = true;
        }
        Ok(self.root.factors())
    }

    /// The model over dual numbers with its present values.
    fn lifted(&mut self, model: &M, revision: u64) -> Box<Copied<M>> {
        let known = self.copy.take().filter(|(of, _)| *of == revision);
        let mut copy = known.map_or_else(|| copied(model), |(_, copy)| copy);
        model.lift_values_into(&mut copy.model);
        copy
    }

    #[cold]
    fn failure(&self, none: NoRoot<ModelError>, time: f64) -> ModelError {
        let name = unknown_name::<M>;
        let sentence = match none.why {
            WhyNoRoot::Failed(error) => return error,
            WhyNoRoot::NotFinite => format!(
                "the residual of `{}` or its derivative is not a finite number",
                name(none.equation)
            ),
            WhyNoRoot::Singular { unknown, pivot } => format!(
                "the equations do not determine `{}`: the Jacobian of the residuals is singular, with the smallest pivot \
                 {pivot:e}",
                name(unknown)
            ),
            _ => format!(
                "the iteration for `{}` does not converge: the residual of `{}` is {:e}",
                name(none.unknown),
                name(none.equation),
                none.residual
            ),
        };
        let error = ModelError::new(format!(
            "the implicit equations have no solution at t = {time}: {sentence}"
        ));
        match self.is_strict {
            true => error,
            false => error.recoverable(),
        }
    }

    /// Appends everything.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        for values in [&self.anchor, &self.start, &self.written] {
            out.f64s(values);
        }
        out.bool(self.is_guessed);
        out.bool(self.is_strict);
    }

    /// What was written by [`Implicit::write_to`].
    pub fn read_from(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        for values in [&mut self.anchor, &mut self.start, &mut self.written] {
            from.f64s(values)?;
        }
        self.is_guessed = from.bool()?;
        self.is_strict = from.bool()?;
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn copied<M: Model>(model: &M) -> Box<Copied<M>> {
    let plain = vec![Dual::plain(0.0); M::COUNTS.unknowns].into_boxed_slice();
    Box::new(Copied {
        model: model.lifted(),
        unknowns: plain.clone(),
        residuals: plain,
    })
}

/// The nominal values of the unknowns.
pub(crate) fn nominals<M: Model>() -> Vec<f64> {
    let mut nominals = Vec::new();
    if let Ok(described) = described::<M>() {
        let unknowns = described.elements().into_iter();
        let unknowns = unknowns.filter(|(variable, _)| variable.field.role == Role::Implicit);
        nominals.extend(unknowns.map(|(variable, _)| variable.nominal()));
    }
    nominals.resize(M::COUNTS.unknowns, 1.0);
    nominals
}

/// The name of an unknown.
pub(crate) fn unknown_name<M: Model>(number: usize) -> String {
    let Ok(described) = described::<M>() else {
        return String::new();
    };
    let mut unknowns = described
        .elements()
        .into_iter()
        .filter(|(variable, _)| variable.field.role == Role::Implicit);
    let named = unknowns.nth(number);
    named.map_or_else(String::new, |(variable, element)| variable.element_name(element))
}

/// The residuals as functions of the unknowns alone: all else of the model stays as it is.
struct Point<'a, M: Model> {
    model: &'a mut M,
    copy: &'a mut Copied<M>,
    time: f64,
}

impl<M: Model> Residuals for Point<'_, M> {
    type Error = ModelError;

    fn residuals(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.model.set_unknowns(x);
        eval_residuals(&mut *self.model, self.time, r)
    }

    fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), ModelError> {
        let Copied {
            model,
            unknowns,
            residuals,
        } = &mut *self.copy;
        jacobian(model, self.time, (unknowns, residuals), (x, r, matrix))
    }

    fn is_cheap(&self) -> bool {
        M::COUNTS.unknowns <= LANES
    }
}

/// The residuals, with all that they may read.
fn eval_residuals<S: crate::scalar::Scalar, L: Equations<S>>(
    model: &mut L,
    time: S,
    residuals: &mut [S],
) -> Result<(), ModelError> {
    model.update_locals(time)?;
    model.update_outputs(time)?;
    model.eval_residuals(time, residuals)
}

/// Residuals and Jacobian by dual numbers. All lanes of the model are 0.
fn jacobian<const N: usize, L: Structure<Dual<N>> + Equations<Dual<N>>>(
    model: &mut L,
    time: f64,
    (unknowns, residuals): (&mut [Dual<N>], &mut [Dual<N>]),
    (x, r, matrix): (&[f64], &mut [f64], &mut Square),
) -> Result<(), ModelError> {
    let n = x.len();
    for first in (0..n).step_by(N) {
        for (column, (unknown, x)) in unknowns.iter_mut().zip(x).enumerate() {
            *unknown = Dual::plain(*x);
            if let Some(lane) = unknown.lanes.get_mut(column.wrapping_sub(first)) {
                *lane = 1.0;
            }
        }
        model.set_unknowns(unknowns);
        eval_residuals(model, Dual::plain(time), residuals)?;
        for (row, residual) in residuals.iter().enumerate() {
            r[row] = residual.value;
            for (lane, entry) in residual.lanes.iter().enumerate().take(n - first) {
                matrix[(row, first + lane)] = *entry;
            }
        }
    }
    Ok(())
}

/// What a copy of a model over dual numbers needs to follow its unknowns.
pub(crate) struct Follower<const N: usize> {
    unknowns: Box<[Dual<N>]>,
    residuals: Box<[Dual<N>]>,
    change: Box<[f64]>,
    factors: Option<RootFactors>,
}

impl<const N: usize> Follower<N> {
    /// For so many unknowns.
    pub fn new(unknowns: usize) -> Follower<N> {
        let plain = vec![Dual::plain(0.0); unknowns].into_boxed_slice();
        Follower {
            unknowns: plain.clone(),
            residuals: plain,
            change: vec![0.0; unknowns].into(),
            factors: None,
        }
    }

    /// Takes over factors that belong to the values of the model.
    pub fn take(&mut self, factors: &RootFactors) {
        match &mut self.factors {
            Some(known) => known.assign(factors),
            unknown => *unknown = Some(factors.clone()),
        }
    }

    /// Finds the factors by itself. The unknowns of the model have their values, all lanes are 0.
    #[cold]
    pub fn factorize<M: Model>(
        &mut self,
        model: &mut M::Lifted<Dual<N>>,
        time: f64,
    ) -> Result<(), ModelError> {
        struct Own<'a, L, const N: usize>(&'a mut L, f64, &'a mut [Dual<N>], &'a mut [Dual<N>]);
        impl<L: Structure<Dual<N>> + Equations<Dual<N>>, const N: usize> Residuals for Own<'_, L, N> {
            type Error = ModelError;
            fn residuals(&mut self, _: &[f64], _: &mut [f64]) -> Result<(), ModelError> {
                Ok(())
            }
            fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), ModelError> {
                jacobian(self.0, self.1, (self.2, self.3), (x, r, matrix))
            }
        }
        let mut root = Root::new(&nominals::<M>());
        model.unknowns(&mut self.unknowns);
        let x: Vec<f64> = self.unknowns.iter().map(|unknown| unknown.value).collect();
        let mut own = Own(model, time, &mut self.unknowns, &mut self.residuals);
        let factorized = root.factorize_at(&mut own, &x);
        self.factors = None;
        factorized.map_err(|none| match none.why {
            WhyNoRoot::Failed(error) => error,
            _ => ModelError::new(format!(
                "the unknowns have no derivatives at t = {time}: the Jacobian of the residuals is singular at `{}`",
                unknown_name::<M>(none.unknown)
            )),
        })?;
        self.take(root.factors());
        Ok(())
    }

    /// Gives the unknowns of the model their lanes. Their values are there, and the lanes of all knowns.
    pub fn follow<L: Structure<Dual<N>> + Equations<Dual<N>>>(
        &mut self,
        model: &mut L,
        time: Dual<N>,
    ) -> Result<(), ModelError> {
        let Some(factors) = &self.factors else {
            return Err(ModelError::new(
                "the derivatives of implicit unknowns need their values: load a model whose equations are solved",
            ));
        };
        model.unknowns(&mut self.unknowns);
        for unknown in &mut self.unknowns {
            unknown.lanes = [0.0; N];
        }
        model.set_unknowns(&self.unknowns);
        eval_residuals(model, time, &mut self.residuals)?;
        for lane in 0..N {
            for (change, residual) in self.change.iter_mut().zip(&self.residuals) {
                *change = residual.lanes[lane];
            }
            if self.change.iter().all(|change| *change == 0.0) {
                continue;
            }
            factors.substitute(&mut self.change);
            for (unknown, change) in self.unknowns.iter_mut().zip(&self.change) {
                unknown.lanes[lane] = *change;
            }
        }
        model.set_unknowns(&self.unknowns);
        Ok(())
    }
}
