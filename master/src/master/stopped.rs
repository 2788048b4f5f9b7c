//! Steps that a component discards, and components that end the simulation.

use super::Master;
use super::step::{BEFORE, Ended};
use crate::again::Remedy;
use crate::component::{Capabilities, ComponentError};
use crate::error::Error;
use crate::settings::{Algorithm, Correction, Settings, Snapshots};

/// A step that was discarded is tried again with smaller ones, down to this part of it.
const SMALLEST_PART: f64 = 1e-6;

/// The number of attempts at a step.
const ATTEMPTS: usize = 200;

/// The time that a component has reached, if it lies inside of a step.
pub(super) fn inside(reached: Option<f64>, begin: f64, end: f64) -> Option<f64> {
    let least = SMALLEST_PART * 1e-6 * (end - begin);
    reached.filter(|&time| time - begin > least && time < end)
}

/// Snapshots that only discarded steps need.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// Snapshots are taken before each step, because a component may discard it.
    pub saves: bool,
    /// For how many steps one of these snapshots serves.
    pub stretch: usize,
    /// The steps since the last one: ends and sizes.
    pub steps: Vec<(f64, f64)>,
}

impl Replay {
    pub fn new(settings: &Settings, can: &[Capabilities], explicit: bool) -> Replay {
        let stretch = stretch(can, settings, explicit);
        Replay {
            saves: saves(can, settings.algorithm.repeats(), settings.snapshots),
            stretch,
            steps: Vec::with_capacity(stretch),
        }
    }
}

/// Whether snapshots are taken before each step, in case that it is discarded.
fn saves(can: &[Capabilities], repeats: bool, snapshots: Snapshots) -> bool {
    let cheap = can.iter().all(|can| can.cheap_snapshots);
    let discards = can.iter().any(|can| can.discards);
    let wanted = match snapshots {
        Snapshots::WhereCheap => cheap && discards || repeats,
        Snapshots::Always => discards || repeats,
        Snapshots::Never => repeats,
    };
    wanted && can.iter().all(|can| can.snapshots && can.variable_step)
}

/// For how many steps one snapshot serves. Explicit steps of components whose steps give the same bits again are replayed
/// from it, so that plain steps do not pay for snapshots; iterations may depend on matrices of earlier steps.
fn stretch(can: &[Capabilities], settings: &Settings, explicit: bool) -> usize {
    const STEPS: usize = 16;
    let plain = matches!(settings.algorithm, Algorithm::Jacobi | Algorithm::GaussSeidel)
        && settings.correction == Correction::None;
    match explicit && plain && can.iter().all(|can| can.cheap_snapshots) {
        true => STEPS,
        false => 1,
    }
}

impl Master {
    /// What is done about a step that a component has not made to its end: where all can go back, they make a smaller one,
    /// and go together as far as a component that ends the simulation.
    #[cold]
    pub(super) fn stopped(&mut self, h: f64, stopped: Ended) -> Result<Ended, Error> {
        let (mut stopped, mut part) = (stopped, h);
        if self.memory.replay.saves {
            self.return_to_step()?;
        }
        for _ in 0..ATTEMPTS {
            let begin = self.state.t;
            let mut last = None;
            match stopped {
                Ended::Done => return Ok(Ended::Done),
                Ended::Early { component, reached } => {
                    self.statistics.discarded += 1;
                    if !self.memory.replay.saves {
                        return Err(self.discarded(component, part, reached));
                    }
                    part = match inside(reached, begin, begin + part) {
                        Some(time) if time - begin > SMALLEST_PART * part => time - begin,
                        _ => 0.5 * part,
                    };
                    if part < SMALLEST_PART * h {
                        return Err(self.refuses(component, part, reached));
                    }
                }
                Ended::Terminated { component, reached } => {
                    if !self.memory.replay.saves {
                        self.lose_the_end(component, reached);
                        return Ok(stopped);
                    }
                    let Some(time) = inside(reached, begin, begin + part) else {
                        self.restore(BEFORE)?;
                        return Ok(stopped);
                    };
                    part = time - begin;
                    last = Some(stopped);
                }
            }
            self.restore(BEFORE)?;
            let ended = self.step_to(begin + part, part, true)?;
            if ended == Ended::Done {
                self.statistics.step(part);
                return Ok(last.unwrap_or(stopped));
            }
            stopped = ended;
        }
        match stopped {
            Ended::Early { component, reached } | Ended::Terminated { component, reached } => {
                Err(self.refuses(component, part, reached))
            }
            Ended::Done => Ok(Ended::Done),
        }
    }

    /// Takes all components back to the beginning of the step that was not made: to the last snapshots, and through the
    /// steps since then, which give the same values again.
    fn return_to_step(&mut self) -> Result<(), Error> {
        let steps = std::mem::take(&mut self.memory.replay.steps);
        if steps.is_empty() {
            return Ok(());
        }
        self.restore(BEFORE)?;
        for &(end, h) in &steps {
            match self.step_to(end, h, false)? {
                Ended::Done => {}
                Ended::Early { component, reached } | Ended::Terminated { component, reached } => {
                    return Err(self.refuses(component, h, reached));
                }
            }
        }
        self.memory.replay.steps = steps;
        self.memory.replay.steps.clear();
        self.save(BEFORE)
    }

    /// The component that prevents others from repeating a step, and what it lacks.
    fn obstacle(&self) -> Option<String> {
        let lacking = |can: fn(&Capabilities) -> bool| {
            let found = self.can.iter().position(|one| !can(one))?;
            Some(self.coupling.components[found].as_str())
        };
        if let Some(name) = lacking(|can| can.snapshots) {
            return Some(format!("{name} cannot go back (canGetAndSetFMUstate is false)"));
        }
        let name = lacking(|can| can.variable_step)?;
        Some(format!(
            "{name} takes steps of one size only (canHandleVariableCommunicationStepSize is false)"
        ))
    }

    fn discarded(&self, component: usize, step: f64, reached: Option<f64>) -> Error {
        let name = &self.coupling.components[component];
        let (advice, remedy) = match self.obstacle() {
            Some(obstacle) => (
                format!(
                    "All components would have to repeat it with a smaller step, but {obstacle}: take a step that {name} \
                     can make"
                ),
                None,
            ),
            None => (
                "It cannot be repeated with a smaller step, because no snapshots were taken".to_owned(),
                Some(Remedy::Snapshots),
            ),
        };
        Error::Discarded {
            component: name.clone(),
            time: self.state.t,
            step,
            reached,
            advice,
            remedy,
        }
    }

    fn refuses(&self, component: usize, step: f64, reached: Option<f64>) -> Error {
        Error::Discarded {
            component: self.coupling.components[component].clone(),
            time: self.state.t,
            step,
            reached,
            advice: "It refuses steps of any size here: look at what it logs".to_owned(),
            remedy: None,
        }
    }

    /// Says that others are beyond the time at which a component has ended the simulation.
    fn lose_the_end(&mut self, component: usize, reached: Option<f64>) {
        let name = &self.coupling.components[component];
        let when = match reached {
            Some(time) => format!("at t = {time}"),
            None => format!("in the step from t = {}", self.state.t),
        };
        let obstacle = self.obstacle();
        if obstacle.is_none() {
            self.remedy = Some(Remedy::Snapshots);
        }
        let why = obstacle.unwrap_or_else(|| "no snapshots were taken that lead back".to_owned());
        self.warnings.push(format!(
            "{name} ended the simulation {when}, when other components had gone on, and {why}: values after t = {} are not \
             recorded",
            self.state.t
        ));
    }

    /// A snapshot that only discarded steps need has failed.
    #[cold]
    pub(super) fn unsaved(&self, component: String, time: f64, source: ComponentError) -> Error {
        let demanded = self.settings.snapshots == Snapshots::Always || self.settings.algorithm.repeats();
        Error::Snapshot {
            component,
            time,
            source,
            remedy: (!demanded).then_some(Remedy::NoSnapshots),
        }
    }
}
