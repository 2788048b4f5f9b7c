//! The numbers that equations are written over: one source, several scalars.
//!
//! A model author writes `f64`. The macros lift that code to `S: Scalar`, and the runtime
//! instantiates it with `f64` itself (simulation), with dual numbers (directional
//! derivatives) and with other scalars, each of which answers another question about
//! the same equations.
//!
//! ```
//! use fmu_runtime::scalar::{Scalar, ScalarRef};
//!
//! fn energy<S: Scalar>(masses: &[S], speed: S) -> S
//! where
//!     for<'a> &'a S: ScalarRef<S>,
//! {
//!     masses.iter().map(|m| m * speed.powi(2) * S::constant(0.5)).sum()
//! }
//! assert_eq!(energy(&[1.0, 3.0], 2.0), 8.0);
//! ```

mod adjoint;
mod backend;
mod dual;
mod f64_impl;
mod factors;
mod jet;
mod linear;
mod literal;
#[cfg(feature = "nalgebra")]
mod matrix;
mod operators;
mod quaternion;
mod scalar_trait;
mod trace;

pub use adjoint::{Adjoint, Tape};
pub use backend::Backend;
pub use dual::Dual;
pub use factors::{Cholesky, Lu, try_inverse};
pub use jet::Jet;
pub use linear::solve;
pub use literal::{Literal, literal};
#[cfg(feature = "nalgebra")]
pub use matrix::MatrixExt;
pub use quaternion::{Quaternion, cross};
#[doc(hidden)]
pub use scalar_trait::Symbol;
pub use scalar_trait::{Operand, Scalar, ScalarRef};
pub use trace::Trace;
pub(crate) use trace::explore as trace_explore;
