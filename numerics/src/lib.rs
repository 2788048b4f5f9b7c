//! Numerical methods without FMI and without models: integration of `x' = f(t, x)`, location of events, sparse Jacobians,
//! nonlinear and linear systems. The only dependency is the sparse LU factorization of the feature `bdf`, because this
//! crate is part of every FMU.
//!
//! | for | what | where |
//! |---|---|---|
//! | real time: a fixed number of evaluations per step | [`Euler`], [`RungeKutta4`] | `explicit/` |
//! | non-stiff systems, error control | [`DormandPrince`] | `explicit/` |
//! | stiff systems, variable order, sparse Jacobian | `Bdf` (cargo feature `bdf`) | `bdf/` |
//! | any of them, chosen at run time | [`Method`]; with its system: [`Stepper`], which other crates implement, too | `method.rs`, `stepper.rs` |
//! | the first change of a sign in a step | [`locate_event`] | `crossing.rs` |
//! | which columns of a Jacobian one evaluation finds | [`Pattern`], [`Coloring`] | `pattern.rs`, `coloring.rs` |
//! | nonlinear equations | [`Newton`] | `newton.rs` |
//! | unknowns that equations define implicitly, at rounding | [`Root`] | `root.rs` |
//! | the order of coupled equations | [`maximum_matching`], [`strongly_connected`], [`blocks`] | `graph/` |
//! | linear systems: full, banded, sparse, near the identity | [`Lu`], [`Sparse`] | `linear/` |
//! | inputs that are polynomials of time | [`Curve`] | `curve.rs` |
//!
//! Each method is one plain struct that holds all of its memory: a clone is a snapshot that goes on with the same
//! bits, and so is what `read_from` makes of the bytes of `write_to`. A step never passes the `end` it is given, and
//! allocates nothing (the factorization of `Bdf` excepted).
//!
//! ```
//! use std::convert::Infallible;
//! use fmu_numerics::{DormandPrince, System, Tolerance};
//!
//! /// x' = -x
//! struct Decay;
//! impl System for Decay {
//!     type Error = Infallible;
//!
//!     fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
//!         dx[0] = -x[0];
//!         Ok(())
//!     }
//! }
//!
//! let mut solver = DormandPrince::new(1, Tolerance::new(1e-9, &[1e-9]));
//! solver.restart(0.0, &[1.0]);
//! while solver.time() < 1.0 {
//!     solver.step(&mut Decay, 1.0)?;
//! }
//! assert!((solver.states()[0] - (-1.0f64).exp()).abs() < 1e-8);
//! # Ok::<(), fmu_numerics::StepError<Infallible>>(())
//! ```

#[cfg(feature = "bdf")]
pub mod bdf;
mod bytes;
mod clone;
mod coloring;
mod crossing;
mod curve;
mod explicit;
mod graph;
mod linear;
mod method;
mod newton;
mod pattern;
mod root;
mod stepper;
mod system;
mod tolerance;

pub use bytes::{Damaged, Reader, Writer};
pub use coloring::Coloring;
pub use crossing::{Crossing, changed, crosses, locate, locate_event, remember};
pub use curve::{Break, Curve, MAX_CURVE_ORDER};
pub use explicit::{Classical, DormandPrince, Euler, EulerRule, FixedStep, Rule, RungeKutta4};
pub use graph::{Block, Matching, blocks, maximum_matching, strongly_connected};
pub use linear::{Lu, Sparse, Square, spectral_radius_by_products};
pub use method::{Method, Still};
pub use newton::{Equations, Newton, Unsolved, Why};
pub use pattern::Pattern;
pub use root::{NoRoot, Residuals, Root, RootFactors, RootStatistics, WhyNoRoot};
pub use stepper::{Attached, Integrator, Stepper};
pub use system::{Failure, ImplicitSystem, Refused, Statistics, StepError, System};
pub use tolerance::Tolerance;

/// What is lost in the rounding of a time.
fn rounding(t: f64) -> f64 {
    (16.0 * f64::EPSILON * t.abs()).max(f64::MIN_POSITIVE)
}

/// A step from `t` of about `h` that neither passes `end` nor leaves a sliver before it: the last two steps are even.
fn fitted(t: f64, end: f64, h: f64) -> f64 {
    let rest = end - t;
    match rest / h {
        steps if steps <= 1.0 + 1e-9 => rest,
        steps if steps < 2.0 => 0.5 * rest,
        _ => h,
    }
}
