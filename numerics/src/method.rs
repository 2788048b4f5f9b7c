//! The integrators behind one type, for callers that choose one at run time and keep its memory.

#[cfg(feature = "bdf")]
use crate::bdf::Bdf;
use crate::{
    Damaged, DormandPrince, Euler, ImplicitSystem, Reader, RungeKutta4, Statistics, StepError, Tolerance,
    Writer,
};

/// An integrator with its memory.
///
/// ```
/// use std::convert::Infallible;
/// use fmu_numerics::{ImplicitSystem, Method, RungeKutta4, System};
///
/// /// x' = -x
/// struct Decay;
///
/// impl System for Decay {
///     type Error = Infallible;
///
///     fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
///         dx[0] = -x[0];
///         Ok(())
///     }
/// }
///
/// impl ImplicitSystem for Decay {
///     fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Infallible> {
///         values[0] = -1.0;
///         Ok(())
///     }
/// }
///
/// let mut method = Method::RungeKutta4(RungeKutta4::new(1, 0.01));
/// method.restart(0.0, &[1.0]);
/// let snapshot = method.clone();
/// while method.time() < 1.0 {
///     method.step(&mut Decay, 1.0)?;
/// }
/// assert!((method.states()[0] - (-1.0f64).exp()).abs() < 1e-9);
/// assert_eq!(snapshot.states(), [1.0]);
/// # Ok::<(), fmu_numerics::StepError<Infallible>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Method {
    /// Nothing to integrate: only time passes.
    Still(Still),
    /// The explicit Euler method.
    Euler(Euler),
    /// The classical Runge-Kutta method.
    RungeKutta4(RungeKutta4),
    /// The explicit Runge-Kutta pair of Dormand and Prince.
    DormandPrince(DormandPrince),
    /// Backward differentiation formulas.
    #[cfg(feature = "bdf")]
    Bdf(Box<Bdf>),
}

impl Clone for Method {
    fn clone(&self) -> Method {
        match self {
            Method::Still(inner) => Method::Still(*inner),
            Method::Euler(inner) => Method::Euler(inner.clone()),
            Method::RungeKutta4(inner) => Method::RungeKutta4(inner.clone()),
            Method::DormandPrince(inner) => Method::DormandPrince(inner.clone()),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => Method::Bdf(inner.clone()),
        }
    }

    /// Where both are the same method for systems of the same size, nothing is allocated.
    #[inline]
    fn clone_from(&mut self, source: &Method) {
        match (self, source) {
            (Method::Euler(own), Method::Euler(source)) => own.clone_from(source),
            (Method::RungeKutta4(own), Method::RungeKutta4(source)) => own.clone_from(source),
            (Method::DormandPrince(own), Method::DormandPrince(source)) => own.clone_from(source),
            #[cfg(feature = "bdf")]
            (Method::Bdf(own), Method::Bdf(source)) => own.clone_from(source),
            (own, source) => *own = source.clone(),
        }
    }
}

/// The memory of a method for a system without states.
///
/// ```
/// use fmu_numerics::{Method, Still};
///
/// let method = Method::Still(Still::at(2.0));
/// assert_eq!((method.time(), method.states().len()), (2.0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Still {
    t: f64,
    steps: u64,
}

impl Still {
    /// Begins at a time.
    pub fn at(t: f64) -> Still {
        Still { t, steps: 0 }
    }
}

macro_rules! each {
    ($method:expr, $inner:ident => $what:expr, $still:ident => $otherwise:expr) => {
        match $method {
            Method::Still($still) => $otherwise,
            Method::Euler($inner) => $what,
            Method::RungeKutta4($inner) => $what,
            Method::DormandPrince($inner) => $what,
            #[cfg(feature = "bdf")]
            Method::Bdf($inner) => $what,
        }
    };
}

impl Method {
    /// The time that is reached.
    #[inline]
    pub fn time(&self) -> f64 {
        each!(self, inner => inner.time(), still => still.t)
    }

    /// The states there.
    #[inline]
    pub fn states(&self) -> &[f64] {
        each!(self, inner => inner.states(), _still => &[])
    }

    /// What has been done so far.
    pub fn statistics(&self) -> Statistics {
        each!(self, inner => inner.statistics(), still => Statistics {
            steps: still.steps,
            ..Statistics::default()
        })
    }

    /// It chooses its steps by itself.
    pub fn has_error_control(&self) -> bool {
        !matches!(self, Method::Still(_) | Method::Euler(_) | Method::RungeKutta4(_))
    }

    /// The tolerance of a method with error control, which may change between two steps.
    pub fn tolerance_mut(&mut self) -> Option<&mut Tolerance> {
        match self {
            Method::DormandPrince(inner) => Some(inner.tolerance_mut()),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => Some(inner.tolerance_mut()),
            _ => None,
        }
    }

    /// Begins at `(t, x)`, and forgets what was before.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        each!(self, inner => inner.restart(t, x), still => still.t = t);
    }

    /// Goes back to `(t, x)` as if the steps of fixed size since then had not been made; false if it has no fixed step.
    ///
    /// ```
    /// use fmu_numerics::{Euler, Method};
    ///
    /// let mut method = Method::Euler(Euler::new(1, 0.1));
    /// method.restart(0.0, &[1.0]);
    /// let statistics = method.statistics();
    /// if let Method::Euler(euler) = &mut method {
    ///     euler.run(&mut |_t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -x[0], 1.0)?;
    /// }
    /// assert!(method.undo(0.0, &[1.0], statistics));
    /// assert_eq!((method.time(), method.states()), (0.0, &[1.0][..]));
    /// assert_eq!(method.statistics(), statistics);
    /// # Ok::<(), fmu_numerics::StepError<std::convert::Infallible>>(())
    /// ```
    pub fn undo(&mut self, t: f64, x: &[f64], statistics: Statistics) -> bool {
        match self {
            Method::Euler(inner) => inner.undo(t, x, statistics),
            Method::RungeKutta4(inner) => inner.undo(t, x, statistics),
            _ => return false,
        }
        true
    }

    /// It makes steps of one size, and remembers nothing else.
    pub fn has_fixed_step(&self) -> bool {
        matches!(self, Method::Euler(_) | Method::RungeKutta4(_))
    }

    /// Goes on from where states have jumped.
    pub fn jump(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::DormandPrince(inner) => inner.go_on(t, x),
            method => method.restart(t, x),
        }
    }

    /// Goes on where inputs that are states of the integration have been set again, and what drives them has changed:
    /// a history is kept (Andersson 2016, section 7.3).
    pub fn go_on(&mut self, t: f64, x: &[f64]) {
        match self {
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.go_on(x),
            method => method.jump(t, x),
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

    /// Makes one step towards `end`, and never passes it.
    pub fn step<S: ImplicitSystem>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        each!(self, inner => inner.step(system, end), still => {
            still.t = end;
            still.steps += 1;
            Ok(())
        })
    }

    /// Before [`Method::interpolate`]: evaluates what the interpolant of the last step needs.
    pub fn prepare<S: ImplicitSystem>(&mut self, system: &mut S) -> Result<(), StepError<S::Error>> {
        match self {
            Method::Euler(inner) => inner.prepare(system),
            Method::RungeKutta4(inner) => inner.prepare(system),
            Method::DormandPrince(inner) => {
                inner.prepare();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The states at a time `t` in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        each!(self, inner => inner.interpolate(t, x), _still => ());
    }

    /// The last step is over at `t` already, with the states `x` of the interpolant.
    pub fn back_to(&mut self, t: f64, x: &[f64]) {
        match self {
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => inner.back_to(t),
            method => method.jump(t, x),
        }
    }

    /// A number for each method, in the bytes of its memory.
    fn number(&self) -> u64 {
        match self {
            Method::Still(_) => 0,
            Method::Euler(_) => 1,
            Method::RungeKutta4(_) => 2,
            Method::DormandPrince(_) => 3,
            #[cfg(feature = "bdf")]
            Method::Bdf(_) => 4,
        }
    }

    /// Appends the memory; the interpolant of the last step is not part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.u64(self.number());
        each!(self, inner => inner.write_to(out), still => {
            out.f64(still.t);
            out.u64(still.steps);
        });
    }

    /// The memory that was written by the same method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Method, Damaged> {
        if from.u64()? != self.number() {
            return Err(Damaged("another integrator has written them"));
        }
        Ok(match self {
            Method::Still(_) => Method::Still(Still {
                t: from.finite()?,
                steps: from.u64()?,
            }),
            Method::Euler(inner) => Method::Euler(inner.read_from(from)?),
            Method::RungeKutta4(inner) => Method::RungeKutta4(inner.read_from(from)?),
            Method::DormandPrince(inner) => Method::DormandPrince(inner.read_from(from)?),
            #[cfg(feature = "bdf")]
            Method::Bdf(inner) => Method::Bdf(Box::new(inner.read_from(from)?)),
        })
    }
}
