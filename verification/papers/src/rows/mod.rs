//! The rows, one file per group: each runs systems, holds them against references, and fills the table.

mod aggregate;
mod command;
mod endings;
mod events;
mod hydraulics;
mod impacts;
mod initialization;
mod masses;
mod nyquist;
mod pendula;
mod pendulum;
mod petridis;
mod petridis_ours;
mod quarter_car;
mod race_car;
mod segments;
mod small;
mod smoothing;
mod stability;
mod tolerance;

use crate::bench::{Bench, Result};
use crate::table::Table;

/// Measures a group of rows.
pub type Rows = fn(&Bench, &mut Table) -> Result<()>;

/// All groups, by name.
pub const ALL: [(&str, Rows); 19] = [
    ("petridis: rows with printed equations", petridis::rows),
    ("petridis: rows with equations of ours", petridis_ours::rows),
    ("andersson 5: initialization", initialization::rows),
    ("andersson 6.1: coupling stability", stability::rows),
    ("andersson 6.2: double pendulum", pendulum::rows),
    ("andersson 6.3: smoothing", smoothing::rows),
    ("andersson 6.4: mass-spring-damper", masses::rows),
    ("andersson 7: segments of inputs", segments::rows),
    ("andersson 8: events and solvers", impacts::rows),
    ("andersson 9.3: quarter car with error control", quarter_car::rows),
    ("pannu 3: pendula under one solver", pendula::rows),
    ("aggregated, co-simulated, monolithic", aggregate::rows),
    ("small systems", small::rows),
    ("tolerance: coupled FMUs", tolerance::rows),
    ("endings: discarded steps and terminations", endings::rows),
    ("events: bounces and thresholds", events::rows),
    ("command: systems that run away", command::rows),
    ("viel: stabilized steps", hydraulics::rows),
    ("race car: parallel against serial", race_car::rows),
];
