//! Any FMU, from anywhere: open, instantiate, simulate and linearize it.
//!
//! An FMU (FMI 2.0, Model Exchange or Co-Simulation) is opened with [`Fmu::open`], whatever tool made it. Its
//! archive and its description are read with suspicion ([`archive`]); its library is native code of someone else,
//! and making an instance means to trust it.
//!
//! # Load and simulate
//!
//! ```no_run
//! # #[cfg(feature = "simulate")] {
//! use fmu_importer::Fmu;
//! use fmu_importer::simulate::{Inputs, Simulation};
//!
//! let fmu = Fmu::open("VanDerPol.fmu")?;
//! let push = Inputs::function("u", |t| t.sin());
//! let (results, summary) = Simulation::new(&fmu).set("mu", 2.0).inputs(push).stop(20.0).run()?;
//! let x = results.numbers("x0").expect("x0 is an output");
//! println!("{} points, the last is {:?}; {} steps", x.len(), x.last(), summary.solver.steps);
//! std::fs::write("VanDerPol.svg", fmu_results::plot::results(fmu.name(), &results))?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Drive by hand
//!
//! ```no_run
//! use fmu_importer::{Experiment, Fmu, Step};
//!
//! let fmu = Fmu::open("BouncingBall.fmu")?;
//! let mut ball = fmu.co_simulation("ball")?;
//! ball.set("h", 2.0)?;
//! ball.initialize(&Experiment::default())?;
//! for step in 0..100 {
//!     let outcome = ball.do_step(step as f64 * 0.01, 0.01)?;
//!     assert_eq!(outcome, Step::Done);
//!     println!("{}", ball.real("h")?);
//! }
//! # Ok::<(), fmu_importer::Error>(())
//! ```
//!
//! # Linearize
//!
//! ```no_run
//! # #[cfg(feature = "simulate")] {
//! use fmu_importer::Fmu;
//! use fmu_importer::simulate::Simulation;
//!
//! let fmu = Fmu::open("VanDerPol.fmu")?;
//! let linear = Simulation::new(&fmu).linearize(1.0)?;
//! println!("A = {:?}, by {} calls", linear.a.dense(), linear.calls);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `simulate` (default): [`simulate`] and [`linearize`], which need a solver and take a minute to build. Without it FMUs
//! can be opened and driven by hand.

pub mod archive;
mod attributes;
mod error;
mod files;
mod fmu;
mod glob;
pub(crate) mod instance;
mod library;
#[cfg(feature = "simulate")]
pub mod linearize;
mod log;
pub mod partials;
#[cfg(not(windows))]
mod python;
pub mod remote;
#[cfg(feature = "simulate")]
pub mod simulate;
mod text;
mod variables;
pub mod watch;

/// What `fmu-checker` needs beyond the public interface. It may change with any version.
#[doc(hidden)]
pub mod internal {
    /// Files of an FMU, packed or not.
    pub mod files {
        pub use crate::files::{description_of_folder, list_archive, list_folder, platforms};
    }
    pub use crate::instance::file_uri;
    pub use crate::library::{Library, unresolved};
    pub use crate::log::{Environment, callbacks, strays};
}

pub use error::Error;
pub use files::{PackedFile, open_regular, read_text};
pub use fmu::{ContinuousState, Fmu};
/// Sparsity patterns: the crate whose types appear in signatures here.
pub use fmu_numerics as numerics;
/// Tables, CSV and plots: the crate whose types appear in signatures here.
pub use fmu_results as results;
/// Descriptions, interfaces and units: the crate whose types appear in signatures here.
pub use fmu_standard as standard;
pub use fmu_standard::naming::nearest;
pub use fmu_standard::object::LibraryFacts;
pub use fmu_standard::platform::{library_name, platform_folders};
pub use glob::Glob;
pub use instance::{
    CoSimulation, CompletedStep, EventInfo, Experiment, InputDerivatives, Instance, InstanceOptions, Key,
    ModelExchange, RealVariables, SerializedSnapshot, Snapshot, State, Step, Value,
};
pub use log::{Message, Status};
pub use variables::{BaseType, Variables};
