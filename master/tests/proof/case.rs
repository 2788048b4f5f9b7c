//! A coupled system with a reference of its own, run by every algorithm and held to its tolerance.

use fmu_master::aggregate::Assembly;
use fmu_master::component::Component;
use fmu_master::coupling::Coupling;
use fmu_master::settings::{Advance, Algorithm, Control, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Error, Master};

use crate::matrix::growth;
use crate::network::Network;

/// What a run must not exceed, in tolerances: steps, and the aggregate.
pub const STEPS: f64 = 30.0;
pub const AGGREGATE: f64 = 10.0;

/// All outputs at increasing times.
pub type Reference = Box<dyn Fn(&[f64]) -> Vec<Vec<f64>>>;

/// A coupled system.
pub struct Case {
    pub name: String,
    pub stop: f64,
    /// A bound on the norm of exp(A (t - s)): what the system itself makes of an error.
    pub condition: f64,
    pub parts: Box<dyn Fn() -> Parts>,
    pub assembly: Box<dyn Fn() -> Assembly>,
    /// Outputs that are discrete: what they do to others is compared, and not when exactly they jump.
    pub discrete: Vec<usize>,
    /// All outputs at increasing times.
    pub reference: Reference,
}

/// What a master is made of.
pub struct Parts {
    pub coupling: Coupling,
    pub components: Vec<Box<dyn Component>>,
    pub signals: Signals,
}

impl Case {
    /// A network of linear components, all of which can do everything.
    pub fn linear(name: &str, stop: f64, network: Network) -> Case {
        Case::limited(name, stop, network, |_, _| {})
    }

    /// The same, with components that can do less.
    pub fn limited(
        name: &str,
        stop: f64,
        network: Network,
        can: impl Fn(usize, &mut fmu_master::component::Capabilities) + 'static,
    ) -> Case {
        let (closed, _) = network.closed().expect("I - DK is regular");
        let one = network.clone();
        Case {
            name: name.to_owned(),
            stop,
            condition: growth(&closed.a, stop),
            parts: Box::new(move || {
                let (coupling, components) = one.couple(&can);
                Parts {
                    coupling,
                    components,
                    signals: Signals::new(),
                }
            }),
            assembly: Box::new(move || network.assembly()),
            discrete: Vec::new(),
            reference: Box::new(move |times| closed.outputs(times)),
        }
    }
}

/// How a system is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// `None`: under one solver.
    pub algorithm: Option<Algorithm>,
    pub extrapolation: u32,
    pub tolerance: f64,
}

impl Way {
    pub fn name(&self) -> &'static str {
        self.algorithm.map_or(Advance::AGGREGATE, Algorithm::as_str)
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Way {
            extrapolation,
            tolerance,
            ..
        } = self;
        write!(f, "{}, order {extrapolation}, {tolerance:.0e}", self.name())
    }
}

/// Why a run was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A component, or the algorithm, lacks something.
    Capability,
    /// The coupling is unstable however small the step, known before the run.
    Radius,
    /// The tolerance asks for steps below the minimum.
    MinimumStep,
    /// Anything else: never allowed.
    Other,
}

impl Cause {
    pub fn of(error: &Error) -> Cause {
        match error {
            Error::Capability { .. } => Cause::Capability,
            Error::Settings(sentence) if sentence.contains("algebraic loop") => Cause::Capability,
            Error::Unstable { .. } => Cause::Radius,
            Error::TooSmall { .. } => Cause::MinimumStep,
            _ => Cause::Other,
        }
    }
}

/// Outputs at the points of a run.
#[derive(Default)]
pub struct Track {
    pub times: Vec<f64>,
    pub outputs: Vec<Vec<f64>>,
    pub nominals: Vec<f64>,
    pub steps: u64,
}

impl Case {
    /// Runs with error control, or under one solver.
    pub fn run(&self, way: Way) -> Result<Track, Error> {
        self.controlled(way, Control::new(way.tolerance, self.stop))
    }

    /// The same, with steps of at least a part of the run.
    pub fn run_with_minimum(&self, way: Way, part: f64) -> Result<Track, Error> {
        let control = Control::new(way.tolerance, self.stop).minimum(part * self.stop);
        self.controlled(way, control)
    }

    fn controlled(&self, way: Way, control: Control) -> Result<Track, Error> {
        match way.algorithm {
            None => self.aggregated(way.tolerance),
            Some(algorithm) => self.stepped(
                Settings::default()
                    .stop(self.stop)
                    .step(1e-3 * self.stop)
                    .algorithm(algorithm)
                    .extrapolation(way.extrapolation)
                    .control(Some(control)),
            ),
        }
    }

    /// Runs a master.
    pub fn stepped(&self, settings: Settings) -> Result<Track, Error> {
        let Parts {
            coupling,
            components,
            signals,
        } = (self.parts)();
        let mut track = Track {
            nominals: coupling.outputs.iter().map(|output| output.nominal).collect(),
            ..Track::default()
        };
        let inputs = coupling.inputs.len();
        let mut master = Master::new(coupling, components, signals, settings)?;
        master.initialize(&vec![0.0; inputs])?;
        master.run(|point| {
            track.times.push(point.t);
            track.outputs.push(point.y.to_vec());
            true
        })?;
        track.steps = master.statistics().steps;
        Ok(track)
    }

    fn aggregated(&self, tolerance: f64) -> Result<Track, Error> {
        let settings = Settings::default()
            .stop(self.stop)
            .step(self.stop / 20.0)
            .tolerance(tolerance);
        let mut aggregate = (self.assembly)().build(settings)?;
        let nominals = aggregate.coupling().outputs.iter();
        let mut track = Track {
            nominals: nominals.map(|output| output.nominal).collect(),
            ..Track::default()
        };
        aggregate.run(|point| {
            track.times.push(point.t);
            track.outputs.push(point.y.to_vec());
            true
        })?;
        Ok(track)
    }

    /// The largest error over a run, in tolerances: `tolerance (nominal + max |y| over the run)`.
    pub fn error(&self, track: &Track, tolerance: f64) -> f64 {
        let exact = (self.reference)(&track.times);
        let mut worst: f64 = 0.0;
        let continuous = |(output, _): &(usize, &f64)| !self.discrete.contains(output);
        for (output, nominal) in track.nominals.iter().enumerate().filter(continuous) {
            let column = exact.iter().map(|row| row[output].abs());
            let tolerated = tolerance * (nominal + column.fold(0.0, f64::max));
            for (got, exact) in track.outputs.iter().zip(&exact) {
                let error = (got[output] - exact[output]).abs() / tolerated;
                worst = if error.is_nan() {
                    f64::INFINITY
                } else {
                    worst.max(error)
                };
            }
        }
        worst
    }
}
