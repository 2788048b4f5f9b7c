//! diffsol's solvers behind the traits of `fmu-numerics`, and its methods with fixed steps beside them: one [`Method`] to
//! choose from.
//!
//! A system says how fast its states change ([`System`]) and, for implicit methods, how that depends on the states
//! ([`ImplicitSystem`]). [`integrate`] makes a [`Stepper`] of the chosen [`Method`] and passes it to the caller, who takes
//! steps, interpolates between them ([`Stepper::interpolate`]), and restarts where the system changes
//! ([`Stepper::restart`]). Events are the caller's: this crate knows smooth systems only.
//!
//! ```
//! use std::cell::RefCell;
//! use fmu_solvers::{ImplicitSystem, Method, Options, Refused, System, integrate};
//!
//! struct Decay;
//!
//! impl System for Decay {
//!     type Error = Refused;
//!
//!     fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
//!         dx[0] = -x[0];
//!         Ok(())
//!     }
//! }
//!
//! impl ImplicitSystem for Decay {
//!     fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Refused> {
//!         values[0] = -1.0;
//!         Ok(())
//!     }
//! }
//!
//! let options = Options::new(1e-8, vec![1e-10]);
//! let end = integrate(Method::Bdf, &RefCell::new(Decay), 0.0, &[1.0], &options, |stepper| {
//!     while stepper.time() < 1.0 {
//!         stepper.step(1.0)?;
//!     }
//!     Ok::<_, fmu_solvers::Error>(stepper.states()[0])
//! })??;
//! assert!((end - (-1.0_f64).exp()).abs() < 1e-7);
//! # Ok::<(), fmu_solvers::Error>(())
//! ```

mod adaptive;
mod backend;
mod estimate;
mod fixed;
mod linear;

use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;

pub use estimate::watch_errors;
pub use fmu_numerics::{Failure, ImplicitSystem, Pattern, Refused, Statistics, Stepper, System};

/// A system that reports its errors in its own way: to a solver, it only refuses.
pub type DynSystem<'s> = dyn ImplicitSystem<Error = Refused> + 's;

/// A method with its system, at some time.
pub type DynStepper<'s> = dyn Stepper<Error = Error> + 's;

/// Evaluates the derivatives; what is not finite is refused.
fn evaluate(system: &RefCell<DynSystem<'_>>, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
    let result = system.borrow_mut().rhs(time, x, dx);
    result.map_err(|_| Error::Refused { time })?;
    Error::not_finite(time, dx, true)
}

/// How to integrate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Backward differentiation formulas of order 1 to 5, for stiff systems.
    #[default]
    Bdf,
    /// A singly diagonally implicit Runge-Kutta method of order 3, for stiff systems with many events.
    Esdirk34,
    /// The trapezoidal rule with a backward differentiation formula, of order 2, for stiff systems with many events.
    TrBdf2,
    /// The explicit Runge-Kutta pair of Tsitouras, of order 5, for systems that are not stiff.
    Tsit45,
    /// The explicit Euler method with fixed steps.
    Euler,
    /// The classical Runge-Kutta method with fixed steps.
    Rk4,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Bdf,
        Self::Esdirk34,
        Self::TrBdf2,
        Self::Tsit45,
        Self::Euler,
        Self::Rk4,
    ];

    /// Its name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bdf => "bdf",
            Self::Esdirk34 => "esdirk34",
            Self::TrBdf2 => "tr-bdf2",
            Self::Tsit45 => "tsit45",
            Self::Euler => "euler",
            Self::Rk4 => "rk4",
        }
    }

    /// Whether its steps have one size.
    pub fn is_fixed(self) -> bool {
        matches!(self, Self::Euler | Self::Rk4)
    }

    /// Which part of a tolerance for results one step may use up. Errors of steps add up, the more so the lower the
    /// order of a method is, and most where the system has events, whose times follow from the states: after each of
    /// them a method with several steps begins with its lowest order.
    pub fn share(self, has_events: bool) -> f64 {
        match self {
            Self::TrBdf2 => 0.02,
            Self::Bdf if !has_events => 0.2,
            _ => 0.1,
        }
    }

    /// The smallest tolerance for results that roundings leave a chance; zero for fixed steps, which know none. The
    /// lower the order, the shorter are the steps that a tolerance asks for, and the more their roundings weigh.
    pub fn smallest_tolerance(self) -> f64 {
        match self {
            Self::Euler | Self::Rk4 => 0.0,
            Self::Bdf | Self::Esdirk34 | Self::Tsit45 => 1e-13,
            Self::TrBdf2 => 1e-12,
        }
    }

    /// Whether it needs the Jacobian.
    pub fn is_implicit(self) -> bool {
        matches!(self, Self::Bdf | Self::Esdirk34 | Self::TrBdf2)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|method| method.name()).collect();
            format!("there is no solver `{text}`; there are {}", names.join(", "))
        })
    }
}

/// How exactly to integrate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The relative tolerance of a step.
    pub relative: f64,
    /// The absolute tolerance of a step, for each state.
    pub absolute: Vec<f64>,
    /// The step of the methods with fixed steps.
    pub fixed_step: f64,
    /// After how many steps an implicit method evaluates the Jacobian again, if it was not needed before. A new one saves
    /// iterations of Newton's method.
    pub jacobian_age: usize,
    /// How steps and matrices of the backward differentiation formulas change.
    pub tuning: Tuning,
}

/// How steps and matrices of the backward differentiation formulas change. The defaults are chosen by all cases of
/// `cargo xtask bench simulate` together: what is good for one alone is not among them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tuning {
    /// A step that could grow by less than this factor stays as it is, and with it the matrix.
    pub least_growth: f64,
    /// A step grows at most by this factor. After an event steps begin short.
    pub most_growth: f64,
    /// How much of a deviation from the tolerance the next step takes back.
    pub integral_gain: f64,
    /// A matrix is factorized again when the step has changed by more than this part.
    pub matrix_threshold: f64,
    /// Whether the Jacobian is evaluated at each restart, or when Newton's method does not converge with the old one.
    pub fresh_at_restart: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            least_growth: 1.3,
            most_growth: 2.0,
            integral_gain: 0.7,
            matrix_threshold: 0.3,
            fresh_at_restart: true,
        }
    }
}

impl Options {
    /// With tolerances, fixed steps of 0.01, and Jacobians that cost much.
    pub fn new(relative: f64, absolute: Vec<f64>) -> Self {
        Self {
            relative,
            absolute,
            fixed_step: 0.01,
            jacobian_age: 50,
            tuning: Tuning::default(),
        }
    }
}

/// Why an integrator does not get on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The step would have to be shorter than the spacing of numbers.
    #[error(
        "the step size became too small at time {time}: the system is too stiff for {method}, or discontinuous there"
    )]
    TooSmall {
        /// Where.
        time: f64,
        /// With which method.
        method: Method,
    },
    /// The system cannot be evaluated, and no smaller step is possible.
    #[error("the system cannot be evaluated at time {time}")]
    Refused {
        /// Where.
        time: f64,
    },
    /// A state or its derivative is infinite or NaN.
    #[error("the {} of state {} is {value} at time {time}", what(*.derivative), .state + 1)]
    NotFinite {
        /// Where.
        time: f64,
        /// Which state, counted from 0.
        state: usize,
        /// Whether it is its derivative, and not its value.
        derivative: bool,
        /// What it is.
        value: f64,
    },
    /// The integrator stopped for another reason.
    #[error("{method} stopped at time {time}: {reason}")]
    Stopped {
        /// Where.
        time: f64,
        /// With which method.
        method: Method,
        /// What it says.
        reason: String,
    },
}

impl Failure for Error {
    fn is_recoverable(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::NotFinite { .. })
    }
}

fn what(derivative: bool) -> &'static str {
    if derivative { "derivative" } else { "value" }
}

impl Error {
    /// Of values or derivatives at a time, the first that is not a finite number.
    fn not_finite(time: f64, values: &[f64], derivative: bool) -> Result<(), Self> {
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(state) => Err(Self::NotFinite {
                time,
                state,
                derivative,
                value: values[state],
            }),
        }
    }
}

/// Makes a stepper at `time` and `x`, and passes it to `body`.
pub fn integrate<R>(
    method: Method,
    system: &RefCell<DynSystem<'_>>,
    time: f64,
    x: &[f64],
    options: &Options,
    body: impl FnOnce(&mut DynStepper) -> R,
) -> Result<R, Error> {
    let (mut body, mut result) = (Some(body), None);
    // Not generic from here on: the methods are compiled with this crate.
    let call = &mut |stepper: &mut DynStepper| result = body.take().map(|body| body(stepper));
    if method.is_fixed() || x.is_empty() {
        fixed::integrate(method, system, time, x, options, call);
    } else {
        assert_eq!(x.len(), options.absolute.len(), "one tolerance for each state");
        adaptive::integrate(method, system, time, x, options, call)?;
    }
    Ok(result.expect("the body is called once"))
}
