//! Coupled FMUs: connection graph, initialization, master algorithms, results.
//!
//! A [`System`] names FMUs, values and connections; it is read from a TOML or an SSP file, or made by a program. Assembled,
//! it has a [`Master`] that initializes and steps it:
//!
//! ```no_run
//! use fmu_results::table::{CsvWriter, Results};
//! use fmu_master::System;
//! use fmu_master::settings::Settings;
//!
//! let car = System::new("quarter car")
//!     .component("wheel", "Wheel.fmu")
//!     .component("chassis", "Chassis.fmu")
//!     .set("wheel.road", 0.05)
//!     .connect("wheel.*", "chassis.*_wheel")
//!     .connect("chassis.*", "wheel.*_chassis")
//!     .settings(Settings::default().stop(1.0).step(1e-3).extrapolation(1));
//! let mut car = car.assemble()?;
//! std::fs::write("graph.svg", car.diagram.to_svg())?;
//!
//! // Rows go to a file as they come, and some of them to a drawing.
//! let mut sinks = (CsvWriter::new(std::fs::File::create("car.csv")?), Results::thinned(2000));
//! car.run(&mut sinks, |_time| true)?;
//! std::fs::write("car.svg", fmu_results::plot::results("car", &sinks.1))?;
//! println!("{} steps", car.master.statistics().steps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A component need not be an FMU: [`Master::new`] takes any [`component::Component`] beside a [`coupling::Coupling`].

pub mod advise;
mod again;
#[cfg(feature = "aggregate")]
pub mod aggregate;
pub mod component;
pub mod coupling;
mod error;
pub mod graph;
pub mod history;
mod master;
pub mod model_exchange;
pub mod observe;
pub mod picture;
mod plan;
pub mod record;
pub mod settings;
mod settle;
pub mod signals;
pub mod solve;
pub mod stabilize;
pub mod statistics;
pub mod system;
pub mod trace;
mod twin;

pub use again::Remedy;
pub use error::{Alternation, Error};
/// FMUs, their variables and values: the crate whose types appear in signatures here.
pub use fmu_importer as importer;
/// Sparsity patterns and Newton's method: the crate whose types appear in signatures here.
pub use fmu_numerics as numerics;
/// Tables, CSV, plots and diagrams: the crate whose types appear in signatures here.
pub use fmu_results as results;
/// Descriptions and units: the crate whose types appear in signatures here.
pub use fmu_standard as standard;
pub use master::Master;
/// Matrices of [`advise`]: the crate whose types appear in signatures here.
pub use nalgebra;
pub use observe::{End, Point};
pub use system::{System, SystemError};
