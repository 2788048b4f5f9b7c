//! What generated code calls: the traits of a model, the scalars its equations run over, the evaluation of what
//! became stale, and the C entry points of an FMU in [`fmi2`].
//!
//! A model author writes `use fmu_runtime::prelude::*;` and needs nothing else.

// Generated code names this crate by its path, also inside this crate's own tests.
extern crate self as fmu_runtime;

#[doc(hidden)]
pub mod bounds;
pub mod cosim;
pub mod describe;
mod error;
pub mod evaluator;
mod event;
pub mod fmi2;
pub mod jacobian;
pub mod log;
pub mod model;
pub mod native;
mod opaque;
pub mod pattern;
pub mod scalar;
pub mod solver;
#[doc(hidden)]
pub mod start;
pub mod stored;
pub mod table;
pub mod tangent;

#[doc(hidden)]
pub use error::IntoResult;
pub use error::ModelError;
pub use event::{Event, Next};
pub use fmu_numerics::{Coloring, Pattern};
pub use model::{Calculated, Connections, Derivatives, Initial, Locals, Outputs};
pub use opaque::{opaque, opaque_with};

#[doc(hidden)]
pub use fmu_macros::equations_of;
#[doc(hidden)]
pub use fmu_standard as standard;

/// This is the library of an FMU, whose panic hook prints nothing: a further hook would only be memory that stays behind
/// when the library is unloaded.
static NO_PANIC_IS_PRINTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Everything a model author needs: `use fmu_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::describe::Enumeration;
    pub use crate::log::log;
    pub use crate::stored::Stored;
    pub use crate::table::{Extrapolation, Interpolation, Table1D, Table2D};
    pub use crate::{
        Calculated, Connections, Derivatives, Event, Initial, Locals, ModelError, Next, Outputs, opaque,
        opaque_with,
    };
    pub use fmu_macros::{Enumeration, differentiable, equations, export_fmu, model};
    pub use std::path::Path;
}
