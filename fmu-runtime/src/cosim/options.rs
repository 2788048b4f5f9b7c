//! Which integrator, and how exact.

#[cfg(feature = "bdf")]
use crate::solver::bdf::Crossover;
use fmu_macros::Enumeration;

/// Integrator of a co-simulation
#[derive(Clone, Copy, Debug, Default, Enumeration, PartialEq, Eq)]
pub enum Solver {
    /// Explicit Euler, fixed step.
    Euler,
    /// The classical Runge-Kutta method, fixed step.
    RungeKutta4,
    /// Dormand-Prince, variable step: for models that are not stiff.
    #[default]
    DormandPrince,
    /// Backward differentiation formulas: for stiff models. Needs the cargo feature `bdf`.
    #[cfg(feature = "bdf")]
    Bdf,
    /// The same without the correction of its history: it restarts where an input jumps, as most multistep methods do.
    #[cfg(feature = "bdf")]
    PlainBdf,
    /// The same with a history that is corrected in its first and second derivative where an input jumps, and in no other:
    /// equations 7.11 to 7.15 of Andersson 2016 alone.
    #[cfg(feature = "bdf")]
    FirstAndSecondBdf,
}

impl Solver {
    /// Its steps have one length.
    pub(crate) fn is_fixed(self) -> bool {
        matches!(self, Solver::Euler | Solver::RungeKutta4)
    }

    /// It needs a Jacobian.
    #[cfg(feature = "bdf")]
    pub(super) fn is_implicit(self) -> bool {
        matches!(self, Solver::Bdf | Solver::PlainBdf | Solver::FirstAndSecondBdf)
    }
}

/// How to integrate.
///
/// ```
/// use fmu_runtime::cosim::{Options, Solver};
///
/// let options = Options::with(Solver::RungeKutta4).with_max_step(1e-3);
/// assert_eq!((options.max_step, options.tolerance), (1e-3, 1e-6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The integrator.
    pub solver: Solver,
    /// Relative tolerance, and absolute tolerance as a part of each state's nominal value. Fixed steps ignore it.
    pub tolerance: f64,
    /// The longest internal step; for a fixed step its length. Infinite: the communication step.
    pub max_step: f64,
    /// The most internal steps per communication step; 0: any number. A step that needs more ends early.
    pub max_internal_steps: u32,
    /// What a multistep method does where inputs jump.
    #[cfg(feature = "bdf")]
    pub crossover: Crossover,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            solver: Solver::default(),
            tolerance: 1e-6,
            max_step: f64::INFINITY,
            max_internal_steps: 0,
            #[cfg(feature = "bdf")]
            crossover: Crossover::default(),
        }
    }
}

impl Options {
    /// The defaults with another integrator.
    pub fn with(solver: Solver) -> Options {
        Options {
            solver,
            ..Options::default()
        }
    }

    /// With another tolerance.
    pub fn with_tolerance(self, tolerance: f64) -> Options {
        Options { tolerance, ..self }
    }

    /// With another longest internal step.
    pub fn with_max_step(self, max_step: f64) -> Options {
        Options { max_step, ..self }
    }

    /// With another limit of internal steps per communication step.
    pub fn with_max_internal_steps(self, max_internal_steps: u32) -> Options {
        Options {
            max_internal_steps,
            ..self
        }
    }

    /// With another rule for inputs that jump.
    #[cfg(feature = "bdf")]
    pub fn with_crossover(self, crossover: Crossover) -> Options {
        Options { crossover, ..self }
    }
}

/// The classical Runge-Kutta method with fixed steps of this length.
impl From<f64> for Options {
    fn from(step: f64) -> Options {
        Options::with(Solver::RungeKutta4).with_max_step(step)
    }
}

/// The integrator with default tolerance and steps.
impl From<Solver> for Options {
    fn from(solver: Solver) -> Options {
        Options::with(solver)
    }
}

/// The stiff integrator if the feature is enabled; otherwise an error that explains how to enable it.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "bdf")]
macro_rules! __bdf_solver {
    () => {
        $crate::cosim::Solver::Bdf
    };
}

/// The stiff integrator if the feature is enabled; otherwise an error that explains how to enable it.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "bdf"))]
macro_rules! __bdf_solver {
    () => {
        ::core::compile_error!(
            "the solver for stiff models is a feature of `fmu-runtime`: add `features = [\"bdf\"]` to the entry \
             `fmu-runtime = { ... }` in the Cargo.toml of this crate, and leave the rest of the entry as it is"
        )
    };
}
