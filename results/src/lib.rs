//! Results of simulations: tables of values over time, CSV, plots of results and diagrams of coupled systems as SVG.
//!
//! A simulation passes rows to a [`table::Sink`] one by one. [`table::CsvWriter`] writes them to a file, and
//! [`table::Results`] keeps them in memory. [`plot`] draws results, [`picture`] draws boxes with ports and the connections
//! between them. Nothing in this crate knows FMUs, and it has no dependencies.
//!
//! ```
//! use fmu_results::plot;
//! use fmu_results::table::{CellType, Column, CsvWriter, Results, Sink, Values};
//!
//! let columns = [Column::new("height", CellType::Real).unit("m")];
//! let mut values = Values::default();
//! let height = values.add(CellType::Real);
//!
//! // One row for two sinks: a file and a table in memory.
//! let mut sinks = (CsvWriter::new(Vec::new()), Results::default());
//! sinks.begin(&columns)?;
//! for time in [0.0, 0.1, 0.2] {
//!     values.reals[height] = 1.0 - 4.905 * time * time;
//!     sinks.row(&values.row(time, false))?;
//! }
//! let text = String::from_utf8(sinks.0.finish()?)?;
//! assert!(text.starts_with("time,height\n0,1\n0.1,"));
//! assert_eq!(sinks.1.numbers("height").map(<[f64]>::len), Some(3));
//! assert!(plot::results("A falling stone", &sinks.1).contains("height / m"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod markup;
pub mod picture;
pub mod plot;
pub mod table;
