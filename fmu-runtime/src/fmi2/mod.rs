//! A model as an FMU: the C interface of FMI 2.0, for every [`Model`](crate::model::Model).
//!
//! `entry_points` has the `extern "C"` functions, `boundary` turns their pointers into references, and everything
//! behind is safe code: [`Instance`] is what a handle points to, and its methods are the functions of the standard.

// The standard's names, also for constants in patterns.
#![allow(non_upper_case_globals)]

pub mod boundary;
mod bytes;
mod co_simulation;
mod derivatives;
mod description;
mod entry_points;
mod extension;
mod floating_point;
mod functions;
mod instance;
mod library;
mod lifecycle;
mod logger;
mod model_exchange;
mod panics;
mod pending;
mod problem;
mod repeats;
mod resources;
mod snapshots;
mod stack;
mod values;
mod variables;

pub use description::{full_description, model_description};
pub use functions::{Function, Interface, Mode};
pub use instance::{Arguments, Instance};
pub use library::Library;
pub use lifecycle::Experiment;
pub use problem::{Outcome, Problem};
