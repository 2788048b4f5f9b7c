//! Couples a system of `examples/systems/` and keeps what it did.

use std::error::Error;
use std::path::{Path, PathBuf};

use fmu_master::System;
use fmu_master::settings::Settings;
use fmu_master::statistics::Statistics;
use fmu_master::system::{AssembleOptions, RunError};
use fmu_results::table::Results;

/// What a group of rows may fail with, beside figures that are wrong.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Where systems and FMUs are.
pub struct Bench {
    systems: PathBuf,
    /// Where the FMUs are.
    pub fmus: PathBuf,
    /// The command `fmu`, if it was built.
    pub command: Option<PathBuf>,
    /// Nothing that takes long, and no times.
    pub smoke: bool,
}

/// A coupled simulation that has ended, in whatever way.
pub struct Run {
    /// Everything recorded, also before an error.
    pub results: Results,
    /// The error that ended it.
    pub error: Option<RunError>,
    /// What it took.
    pub statistics: Statistics,
    /// What the master warned of.
    pub warnings: Vec<String>,
}

impl Bench {
    pub fn new(root: &Path, fmus: PathBuf, command: Option<PathBuf>, smoke: bool) -> Bench {
        Bench {
            systems: root.join("examples/systems"),
            fmus,
            command,
            smoke,
        }
    }

    /// The file of a system.
    pub fn file(&self, name: &str) -> PathBuf {
        self.systems.join(format!("{name}.toml"))
    }

    /// The system of a file, with settings of its own.
    pub fn system(&self, name: &str) -> Result<System> {
        let mut system = System::open(self.file(name))?;
        // Rows compare outputs, and what else they name.
        system.record.clear();
        Ok(system)
    }

    /// How FMUs are opened.
    pub fn options(&self) -> AssembleOptions {
        AssembleOptions::default().fmus(Some(self.fmus.clone()))
    }

    /// Runs a system. An error of the simulation is a part of the answer; one of the system is not.
    pub fn run(&self, system: &System) -> Result<Run> {
        let mut assembled = system.assemble_with(&self.options())?;
        let mut results = Results::default();
        let ran = assembled.run(&mut results, |_| true);
        Ok(Run {
            results,
            error: ran.err(),
            statistics: assembled.master.statistics().clone(),
            warnings: assembled.master.warnings().to_vec(),
        })
    }

    /// Runs the system of a file after its settings were changed.
    pub fn couple(&self, name: &str, change: impl FnOnce(&mut Settings)) -> Result<Run> {
        let mut system = self.system(name)?;
        change(&mut system.settings);
        self.run(&system)
    }
}

impl Run {
    /// The communication points.
    pub fn times(&self) -> &[f64] {
        self.results.times()
    }

    /// The values of a variable at all communication points.
    pub fn values(&self, name: &str) -> Result<&[f64]> {
        let numbers = self.results.numbers(name);
        numbers.ok_or_else(|| format!("{name} was not recorded").into())
    }

    /// A variable as points of a curve.
    pub fn points(&self, name: &str) -> Result<Vec<(f64, f64)>> {
        let values = self.values(name)?;
        Ok(self.times().iter().copied().zip(values.iter().copied()).collect())
    }

    /// The value of a variable at the end.
    pub fn last(&self, name: &str) -> Result<f64> {
        let value = self.values(name)?.last().copied();
        value.ok_or_else(|| format!("nothing was recorded of {name}").into())
    }

    /// The sentence that ended it, if one did.
    pub fn sentence(&self) -> Option<String> {
        self.error.as_ref().map(|error| error.to_string())
    }

    /// That it came to its end; the sentence that ended it is an error here.
    pub fn whole(self) -> Result<Run> {
        match &self.error {
            None => Ok(self),
            Some(error) => Err(error.to_string().into()),
        }
    }

    /// How far variables are from a reference at the communication points, at most, as a part of the reference's range.
    pub fn deviation(&self, names: &[&str], reference: &[Vec<f64>]) -> Result<f64> {
        let mut largest: f64 = 0.0;
        for (column, name) in names.iter().enumerate() {
            let expected = reference.iter().map(|row| row[column]);
            let (low, high) = expected
                .clone()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
            // What does not move is measured by its size.
            let range = if high - low > 1e-9 * high.abs() {
                high - low
            } else {
                high.abs()
            };
            for (value, expected) in self.values(name)?.iter().zip(expected) {
                let off = (value - expected).abs() / range;
                if off.is_nan() || off > largest {
                    largest = if off.is_nan() { f64::INFINITY } else { off };
                }
            }
        }
        Ok(largest)
    }
}
