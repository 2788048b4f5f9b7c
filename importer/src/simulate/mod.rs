//! Simulates an FMU: Model Exchange with a solver of ours, Co-Simulation with the FMU's own.
//!
//! ```no_run
//! use fmu_importer::Fmu;
//! use fmu_importer::simulate::Simulation;
//!
//! let fmu = Fmu::open("BouncingBall.fmu")?;
//! let (results, summary) = Simulation::new(&fmu).set("e", 0.8).stop(3.0).output_step(0.01).run()?;
//! let height = results.numbers("h").expect("h is an output");
//! for (time, height) in results.times().iter().zip(height) {
//!     println!("{time} {height}");
//! }
//! println!("{} events, {} steps", summary.events.total(), summary.solver.steps);
//! # Ok::<(), fmu_importer::simulate::SimulateError>(())
//! ```
//!
//! Results need not be kept in memory: [`Simulation::run_into`] hands each row to a [`Sink`] as it comes.

mod chatter;
mod co_simulation;
mod columns;
mod driver;
mod events;
mod experiment;
mod extra;
pub mod hybrid;
mod inputs;
mod model_exchange;
mod record;
mod run;
mod settings;
mod stopwatch;
mod summary;
mod system;

use std::io;

pub use extra::{ExtraEquations, Plant};
pub use fmu_solvers::{Method, Tuning, watch_errors};
pub use inputs::Inputs;
pub use settings::{Interface, Matrices, Simulation};
pub use summary::{End, Events, NotFinite, SolverStep, Summary};

use crate::Error;
pub use fmu_results::table::{Cell, Column, CsvWriter, Results, Row, Sink};

/// Why a simulation did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The FMU, or a call of it.
    #[error(transparent)]
    Fmu(#[from] Error),
    /// A call failed in the middle.
    #[error("at time {time}: {source}")]
    At {
        /// When.
        time: f64,
        /// What the FMU says.
        source: Error,
    },
    /// The solver.
    #[error(transparent)]
    Solver(#[from] fmu_solvers::Error),
    /// What drives the inputs.
    #[error("{place}: {problem}")]
    Input {
        /// Where.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
    /// The event iteration has no end.
    #[error(
        "the event at time {time} has no end: after {iterations} iterations the FMU still asks for another one"
    )]
    EventIteration {
        /// When.
        time: f64,
        /// How often.
        iterations: usize,
    },
    /// Events follow each other without progress of time.
    #[error("chattering: {events} events within {span:e} s at time {time}{}; {}", of(.indicators), CHATTERING)]
    Chattering {
        /// When.
        time: f64,
        /// How many.
        events: usize,
        /// How far time came meanwhile.
        span: f64,
        /// The event indicators that changed their sign last, counted from 1.
        indicators: Vec<usize>,
    },
    /// The FMU discards a step, and no shorter one goes on from there.
    #[error("{fmu} discards its step at time {time}, {reason}")]
    Discarded {
        /// The model.
        fmu: String,
        /// Where it stands.
        time: f64,
        /// What can be done.
        reason: String,
    },
    /// A state or its derivative is infinite or not a number.
    #[error("{variable} of {fmu} is {value} at time {time}: no solver can go on from there")]
    NotFinite {
        /// The model.
        fmu: String,
        /// The state or the derivative.
        variable: String,
        /// What it is.
        value: f64,
        /// When.
        time: f64,
    },
    /// An entry of a linearization is infinite, or not a number.
    #[error(
        "the derivative of {unknown} by {known} of {fmu} is {value} at time {time}: the matrices would be worthless; look at \
         what the FMU computes there, its parameters and its inputs, or linearize at another time"
    )]
    Entry {
        /// The model.
        fmu: String,
        /// The derivative of a state or the output, which names the row.
        unknown: String,
        /// The state or the input, which names the column.
        known: String,
        /// What it is.
        value: f64,
        /// When.
        time: f64,
    },
    /// A linearization was interrupted.
    #[error("interrupted at time {time}, before the time to linearize at")]
    Interrupted {
        /// When.
        time: f64,
    },
    /// Results cannot be written.
    #[error("cannot write results: {0}")]
    Write(#[from] io::Error),
}

const CHATTERING: &str = "the model switches back as soon as it has switched: it needs hysteresis, or an event that \
                          changes its states";

fn of(indicators: &[usize]) -> String {
    match indicators {
        [] => String::new(),
        [one] => format!(" (event indicator {one})"),
        many => {
            let names: Vec<_> = many.iter().take(5).map(usize::to_string).collect();
            format!(" (event indicators {})", names.join(", "))
        }
    }
}
