//! The time interval of a simulation, the points that it records, and its tolerance.

use super::{SimulateError, Simulation};
use fmu_results::table::number;

/// The times and tolerances of a simulation, all of them known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Experiment {
    pub start: f64,
    pub stop: f64,
    pub output_step: f64,
    pub tolerance: f64,
}

impl Experiment {
    /// The k-th time to record at: evenly spaced, the last is the end, and then there are no more.
    pub fn output(&self, k: u64) -> f64 {
        if k == u64::MAX {
            return f64::INFINITY;
        }
        let time = self.start + k as f64 * self.output_step;
        if time > self.stop - 1e-6 * self.output_step {
            self.stop
        } else {
            time
        }
    }

    /// Whether the k-th time to record at has come, up to roundings.
    pub fn is_due(&self, k: u64, time: f64) -> bool {
        self.output(k) <= time + 1e-9 * self.output_step
    }

    /// The first time to record at after this one, from the k-th on.
    pub fn next_output(&self, mut k: u64, time: f64) -> u64 {
        while self.is_due(k, time) {
            k = if self.output(k) >= self.stop {
                u64::MAX
            } else {
                k + 1
            };
        }
        k
    }

    pub fn for_fmu(&self) -> crate::Experiment {
        crate::Experiment {
            tolerance: Some(self.tolerance),
            start_time: self.start,
            // Where nothing is integrated, there is no end to respect, and some FMUs want it behind the start.
            stop_time: Some(self.stop).filter(|stop| *stop > self.start),
        }
    }
}

impl Simulation<'_> {
    /// The times and the tolerance, as they were given or as the FMU proposes.
    pub(super) fn experiment(&self) -> Result<Experiment, SimulateError> {
        let default = self.fmu.description().default_experiment.unwrap_or_default();
        let start = self.start.or(default.start_time).unwrap_or(0.0);
        let stop = self.stop.or(default.stop_time).unwrap_or(start + 1.0);
        for (name, time) in [("start", start), ("end", stop)] {
            if !time.is_finite() {
                let problem = format!("the {name} of the simulation, {time}, is not a finite number");
                return Err(SimulateError::Setting(problem));
            }
        }
        if stop < start {
            return Err(SimulateError::Setting(format!(
                "a simulation from {start} to {stop} is impossible: the end must not be before the beginning"
            )));
        }
        let given = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => Err(SimulateError::Setting(format!(
                "{name} must be positive, not {}",
                number(value)
            ))),
            value => Ok(value),
        };
        given("the step", self.step)?;
        let output_step = given("the distance of outputs", self.output_step)?.or(default.step_size);
        let output_step = output_step
            .filter(|step| *step > 0.0)
            .unwrap_or((stop - start) / 500.0);
        if (stop - start) / output_step > 1e9 {
            return Err(SimulateError::Setting(format!(
                "outputs every {} s from {start} to {stop} are more than a billion",
                number(output_step)
            )));
        }
        if let Some(tolerance) = self.tolerance.filter(|tolerance| *tolerance >= 1.0) {
            return Err(SimulateError::Setting(format!(
                "the tolerance {} is relative to the values: from 1 on, errors may be as large as these; choose less, such as 1e-6",
                number(tolerance)
            )));
        }
        let tolerance = given("the tolerance", self.tolerance)?
            .or(default.tolerance)
            .filter(|t| *t > 0.0);
        Ok(Experiment {
            start,
            stop,
            output_step: if output_step > 0.0 { output_step } else { 1.0 },
            tolerance: tolerance.unwrap_or(1e-6),
        })
    }

    /// Refuses what the solver cannot keep: it would crawl, and be no more exact.
    pub(super) fn check_tolerance(&self, experiment: &Experiment) -> Result<(), SimulateError> {
        let (method, smallest) = (self.method, self.method.smallest_tolerance());
        if experiment.tolerance >= smallest {
            return Ok(());
        }
        Err(SimulateError::Setting(format!(
            "the tolerance {:e} is smaller than {method} can keep with numbers of 16 digits; at least {smallest:e} is possible",
            experiment.tolerance
        )))
    }
}
