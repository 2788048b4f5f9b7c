//! The integrators behind one face.

use super::Solver;
use super::plant::{Bare, Plant};
use crate::evaluator::Evaluator;
use crate::model::Model;
#[cfg(feature = "bdf")]
use crate::solver::bdf::Bdf;
use crate::solver::{Damaged, DormandPrince, Euler, Reader, RungeKutta4, Statistics, StepError, Writer};

/// An integrator with its memory.
#[derive(Clone, Debug)]
pub(super) enum Method {
    /// Nothing to integrate: only time passes.
    Still(Still),
    Euler(Euler),
    RungeKutta4(RungeKutta4),
    DormandPrince(DormandPrince),
    #[cfg(feature = "bdf")]
    Bdf(Box<Bdf>),
}

/// The memory of a method for a model without states.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Still {
    t: f64,
    statistics: Statistics,
}

macro_rules! each {
    ($method:expr, $inner:ident => $what:expr, still: $still:expr) => {
        match $method {
            Method::Still(_) => $still,
            Method::Euler($inner) => $what,
            Method::RungeKutta4($inner) => $what,
            Method::DormandPrince($inner) => $what,
            #[cfg(feature = "bdf")]
            Method::Bdf($inner) => $what,
        }
    };
}

impl Method {
    #[inline]
    pub fn time(&self) -> f64 {
        match self {
            Method::Still(still) => still.t,
            method => each!(method, inner => inner.time(), still: 0.0),
        }
    }

    #[inline]
    pub fn states(&self) -> &[f64] {
        each!(self, inner => inner.states(), still: &[])
    }

    pub fn statistics(&self) -> Statistics {
        match self {
            Method::Still(still) => still.statistics,
            method => each!(method, inner => inner.statistics(), still: Statistics::default()),
        }
    }

    /// It chooses its steps itself.
    pub fn has_error_control(&self) -> bool {
        !matches!(self, Method::Still(_) | Method::Euler(_) | Method::RungeKutta4(_))
    }

    /// Begins anew.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::Still(still) => still.t = t,
            method => each!(method, inner => inner.restart(t, x), still: ()),
        }
    }

    /// Goes on from where states have jumped.
    pub fn jump(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::DormandPrince(inner) => inner.go_on(t, x),
            method => method.restart(t, x),
        }
    }

    /// Goes on where inputs that are states of the integration have been set again, and what drives them has changed: a
    /// history is kept (Andersson 2016, section 7.3).
    pub fn go_on(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::DormandPrince(inner) => inner.go_on(t, x),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.go_on(x),
            method => method.restart(t, x),
        }
    }

    /// Goes on where the equations have changed and the states have not.
    pub fn cross_over(&mut self) {
        match self {
            Method::DormandPrince(inner) => inner.cross_over(),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.cross_over(),
            // These remember nothing.
            Method::Still(_) | Method::Euler(_) | Method::RungeKutta4(_) => {}
        }
    }

    /// Goes on where inputs have bent, and nothing has jumped.
    pub fn bend(&mut self) {
        match self {
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.bend(),
            method => method.cross_over(),
        }
    }

    /// Makes one step towards `end`.
    pub fn step<M: Model>(&mut self, plant: &mut Plant<'_, M>, end: f64) -> Result<(), StepError> {
        match self {
            Method::Still(still) => {
                still.t = end;
                still.statistics.steps += 1;
                Ok(())
            }
            method => each!(method, inner => inner.step(plant, end), still: Ok(())),
        }
    }

    /// Makes all steps to `end` while nothing moves but the states, and brings the model there. `None` if the method
    /// has no short way to do that.
    #[inline]
    pub fn run<M: Model>(&mut self, evaluator: &mut Evaluator<M>, end: f64) -> Option<Result<(), StepError>> {
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
        match self {
            Method::Euler(inner) => run!(inner),
            Method::RungeKutta4(inner) => run!(inner),
            _ => None,
        }
    }

    /// Before [`Method::interpolate`].
    pub fn prepare<M: Model>(&mut self, plant: &mut Plant<'_, M>) -> Result<(), StepError> {
        match self {
            Method::RungeKutta4(inner) => inner.prepare(plant),
            Method::DormandPrince(inner) => {
                inner.prepare();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The states at a time in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        each!(self, inner => inner.interpolate(t, x), still: ())
    }

    /// The last step is over at `t` already, with the states `x` of the interpolant.
    pub fn back_to(&mut self, t: f64, x: &[f64]) {
        match self {
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.back_to(t),
            method => method.jump(t, x),
        }
    }

    pub fn solver(&self) -> Solver {
        match self {
            Method::Euler(_) => Solver::Euler,
            Method::RungeKutta4(_) => Solver::RungeKutta4,
            Method::Still(_) | Method::DormandPrince(_) => Solver::DormandPrince,
            #[cfg(feature = "bdf")]
            Method::Bdf(_) => Solver::Bdf,
        }
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.count(self.solver() as usize);
        match self {
            Method::Still(still) => {
                out.f64(still.t);
                out.u64(still.statistics.steps);
            }
            method => each!(method, inner => inner.write_to(out), still: ()),
        }
    }

    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Method, Damaged> {
        if from.u64()? != self.solver() as u64 {
            return Err(Damaged("another integrator has written them"));
        }
        Ok(match self {
            Method::Still(_) => {
                let t = from.finite()?;
                let steps = from.u64()?;
                let statistics = Statistics {
                    steps,
                    ..Statistics::default()
                };
                Method::Still(Still { t, statistics })
            }
            Method::Euler(inner) => Method::Euler(inner.read_from(from)?),
            Method::RungeKutta4(inner) => Method::RungeKutta4(inner.read_from(from)?),
            Method::DormandPrince(inner) => Method::DormandPrince(inner.read_from(from)?),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => Method::Bdf(Box::new(inner.read_from(from)?)),
        })
    }
}
