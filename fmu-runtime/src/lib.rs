//! Models in Rust that become FMUs: what an author uses, and what the code that the macros generate calls.
//!
//! A model author writes `use fmu_runtime::prelude::*;` and needs nothing else. A model is a struct with `#[model]` and an
//! `impl Model` with `#[equations]`:
//!
//! ```
//! use fmu_runtime::prelude::*;
//!
//! /// An exponential decay.
//! #[model(stop_time = 10.0, step_size = 0.1)]
//! pub struct Decay {
//!     /// Amount
//!     #[state(start = 1.0, output)]
//!     x: f64,
//!     /// Rate
//!     #[parameter(start = 0.5, unit = "1/s", min = 0.0)]
//!     k: f64,
//! }
//!
//! #[equations]
//! impl Model for Decay {
//!     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
//!         Derivatives::<Self> { x: -self.k * self.x }
//!     }
//! }
//!
//! assert_eq!(Decay::default().derivatives(0.0).x, -0.5);
//! ```
//!
//! # Roles of fields
//!
//! | attribute | the field is | options |
//! |---|---|---|
//! | `#[state]` | a continuous state; `fn derivatives` returns its derivative | `start`, `initial`, `output` |
//! | `#[input]` | set from outside | `start`, `discrete` |
//! | `#[output]` | computed by `fn outputs` | `discrete` |
//! | `#[local]` | computed by `fn locals`, before derivatives and outputs read it | `output`, `discrete` |
//! | `#[parameter]` | set before the simulation | `start`, `tunable`, `calculated` |
//! | `#[constant]` | the same in all simulations | `start`, `output` |
//! | `#[discrete]` | changed by `fn event` only | `start`, `initial`, `output` |
//! | `#[implicit]` | an unknown that `fn residuals` determines, see [Implicit equations](#implicit-equations) | `start` (a guess), `output` |
//! | `#[part]` | another model, with all of its variables and equations | `connect(...)`, `default`; beside it `#[sampled(...)]` |
//! | `#[internal]` | data that is not a variable of the FMU, of any type that implements `Clone` | `default`, `fixed` |
//!
//! Variables also accept `unit`, `display_unit`, `quantity`, `min`, `max`, `nominal`, `unbounded`, `relative_quantity` and
//! `declared_type`. Types are `f64`, `i32`, `bool`, `String`, enumerations, and arrays of them.
//!
//! # Functions of `impl Model`
//!
//! All of them are optional unless a variable needs them.
//!
//! | function | what it returns or does |
//! |---|---|
//! | `derivatives(&self, t)` | the derivative of each state |
//! | `outputs(&self, t)`, `locals(&self, t)` | the value of each output, of each local variable |
//! | `residuals(&self, t)` | one number for each implicit unknown; all are zero at the solution |
//! | `calculated(&self)` | the value of each calculated parameter |
//! | `initial(&self, t)` | the initial value of each variable with `initial = "calculated"` or `"approx"` |
//! | `connections(&self, t)` | the value of each connected input of a part |
//! | `event_indicators(&self, t)` | an array of numbers; each change of sign is a state event |
//! | `next_event_time(&self, t)` | the time of the next time event, or `None` |
//! | `completed_step(&mut self, t)` | whether a step event follows |
//! | `event(&mut self, at: Event)` | changes states and discrete variables; may return [`Next`] |
//! | `instantiate(&mut self, resources: &Path)` | reads files of the FMU into internal fields |
//! | `#[sampled(period = "ts", offset = 0.0)] any_name(&mut self)` | runs at its samples; may also take `t: f64` or `at: Event` |
//!
//! A sampled function is a difference equation and nothing else. Sample k comes at the start of the simulation + `offset` + k
//! `period`, computed from k each time, so samples do not drift. `period` and `offset` are numbers or the names of fields. A
//! function with `#[sampled]` alone leaves them to the model around it, which writes `#[sampled(period = ...)]` beside `#[part]`.
//! Samples of several functions that are closer than 1e-9 of the shorter period are one event. The functions of parts run first,
//! in the order of their declaration, then the model's own; each sees what those before it have changed.
//!
//! ```
//! use fmu_runtime::native::{Native, Options};
//! use fmu_runtime::prelude::*;
//!
//! /// A sampled integrator.
//! #[model]
//! struct Sum {
//!     /// Input
//!     #[input(start = 1.0)]
//!     u: f64,
//!     /// Sum
//!     #[discrete(start = 0.0, output)]
//!     s: f64,
//!     /// Sample time
//!     #[parameter(start = 0.1, unit = "s")]
//!     ts: f64,
//! }
//!
//! #[equations]
//! impl Model for Sum {
//!     #[sampled(period = "ts")]
//!     fn add(&mut self) {
//!         self.s += self.ts * self.u;
//!     }
//! }
//!
//! # fn main() -> Result<(), ModelError> {
//! let mut sum = Native::new(Sum::default());
//! sum.initialize(0.0)?;
//! sum.simulate(1.05, Options::default())?;
//! assert!((sum.s - 1.1).abs() < 1e-12, "samples at 0, 0.1, ..., 1");
//! # Ok(())
//! # }
//! ```
//!
//! # Edges
//!
//! In `fn event`, `rising(condition)` is true if the condition holds now and did not before the event, and
//! `falling(condition)` is true if it held and does not now. Neither is true at the start. The comparisons in a condition become
//! event indicators, so that the simulation stops where they change; `fn event_indicators` is not needed for them. A condition reads
//! fields, constants, helper methods and `at.time`. [`parts::Hysteresis`] and [`parts::StickSlip`] are parts that watch thresholds
//! of their own.
//!
//! ```
//! use fmu_runtime::native::{Native, Options};
//! use fmu_runtime::prelude::*;
//!
//! /// A tank that overflows.
//! #[model]
//! struct Tank {
//!     /// Level
//!     #[state(start = 0.0, unit = "m")]
//!     level: f64,
//!     /// Time of the overflow
//!     #[discrete(start = 0.0, unit = "s")]
//!     overflow: f64,
//! }
//!
//! #[equations]
//! impl Model for Tank {
//!     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
//!         Derivatives::<Self> { level: 0.25 }
//!     }
//!     fn event(&mut self, at: Event) {
//!         if rising(self.level > 2.0) {
//!             self.overflow = at.time;
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), ModelError> {
//! let mut tank = Native::new(Tank::default());
//! tank.initialize(0.0)?;
//! tank.simulate(10.0, Options::default())?;
//! assert!((tank.overflow - 8.0).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```
//!
//! # Implicit equations
//!
//! An `#[implicit]` variable, a number or an array, is an unknown. `fn residuals` returns one number for each, and the runtime
//! finds the values at which all of them are zero, at every point in time:
//!
//! ```
//! use fmu_runtime::native::Native;
//! use fmu_runtime::prelude::*;
//!
//! /// A diode behind a resistor.
//! #[model]
//! pub struct Diode {
//!     /// Voltage of the source
//!     #[input(start = 5.0, unit = "V")]
//!     u: f64,
//!     /// Voltage of the diode
//!     #[implicit(start = 0.6, unit = "V", output)]
//!     v: f64,
//! }
//!
//! #[equations]
//! impl Model for Diode {
//!     fn residuals(&self, _t: f64) -> Residuals<Self> {
//!         let current = 1e-9 * ((self.v / 0.02585).exp() - 1.0);
//!         Residuals::<Self> { v: (self.u - self.v) / 100.0 - current }
//!     }
//! }
//!
//! let mut diode = Native::new(Diode::default());
//! diode.initialize(0.0)?;
//! assert!((diode.v - 0.4558).abs() < 1e-4);
//! # Ok::<(), ModelError>(())
//! ```
//!
//! - Residuals may read everything except derivatives of states: states, inputs, parameters, locals, outputs and parts. Locals
//!   and connections that depend on an unknown are evaluated with it. `fn initial` and `fn calculated` run before the
//!   unknowns are known, and must not read them.
//! - Newton's method, damped, begins at the declared start value during initialization, and afterwards at the values of the
//!   last completed step or event. If it fails there, it begins at the start value again. Equations with several
//!   solutions may then end at another one of them.
//! - The values are at rounding, and depend on nothing but the point and where the iteration begins: evaluating elsewhere in
//!   between changes no bit.
//! - Where there is no solution, an integrator tries a smaller step (`fmi2Discard` in Model Exchange). During initialization
//!   and events, and at the smallest step, it is an error.
//! - Derivatives, Jacobians and derivatives by time are exact, by the implicit function theorem.
//! - Packaging refuses equations that cannot determine the unknowns whatever the values are, and warns where they do not at the
//!   start values.
//!
//! # Options of `#[model]`
//!
//! | option | meaning |
//! |---|---|
//! | `start_time`, `stop_time`, `step_size`, `tolerance` | the default experiment |
//! | `solver`, `max_step`, `max_internal_steps` | the integrator of the co-simulation: `"dormand-prince"`, `"bdf"` (feature `bdf`), `"rk4"` or `"euler"` |
//! | `solver_parameters`, `solver_statistics` | adds parameters for the integrator, outputs with its statistics |
//! | `name`, `author`, `version`, `copyright`, `license` | for the description |
//! | `log_categories("name" = "description")` | categories of `log!` |
//! | `types(Name(unit = "..."))` | declared types |
//! | `crate = "dynamics"` | the name of this crate, where Cargo.toml has renamed it (`dynamics = { package = "fmu-runtime", ... }`) |
//!
//! With a renamed crate, write also `#[differentiable(crate = "...")]`, `#[enumeration(crate = "...")]` below
//! `#[derive(Enumeration)]`, and `export_fmu!(crate = "...", Model)`.
//!
//! # Modules
//!
//! [`native`] runs a model in a test. [`scalar`] contains the numbers that equations run over, [`tangent`], [`reverse`] and [`jacobian`]
//! their derivatives, [`mod@pattern`] the dependencies. [`evaluator`] computes stale values again, [`cosim`] adds an integrator,
//! and [`fmi2`] and [`fmi3`] contain the C functions of an FMU and its model description. [`describe`] has the variables of a model in its own
//! terms.

// Generated code names this crate by its path, also inside this crate's own tests.
extern crate self as fmu_runtime;

#[doc(hidden)]
pub mod __private;
mod columns;
pub mod cosim;
pub mod describe;
mod error;
pub mod evaluator;
mod event;
pub mod fmi2;
pub mod fmi3;
mod implicit;
mod instance;
pub mod jacobian;
pub mod log;
pub mod model;
pub mod native;
mod noise;
mod opaque;
pub mod parts;
pub mod pattern;
pub mod reverse;
pub mod scalar;
pub mod solver;
pub mod stored;
pub mod table;
pub mod tangent;

pub use error::ModelError;
pub use event::{Event, Next};
pub use fmu_numerics::{Coloring, Pattern};
pub use model::{Calculated, Connections, Derivatives, Initial, Locals, Outputs, Residuals};
pub use noise::Noise;
pub use opaque::{opaque, opaque_with};

/// The terms of the standard that functions of this crate return.
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
        Calculated, Connections, Derivatives, Event, Initial, Locals, ModelError, Next, Noise, Outputs,
        Residuals, opaque, opaque_with,
    };
    pub use fmu_macros::{Enumeration, differentiable, equations, export_fmu, model};
    pub use std::path::Path;
}
