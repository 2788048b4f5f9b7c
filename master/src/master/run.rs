//! From start to stop: fixed steps, or steps that an estimate of the error allows.

use super::Master;
use super::control::Controller;
use super::step::{BEFORE, Ended};
use crate::error::Error;
use crate::settings::Algorithm;

/// A communication point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<'a> {
    /// When.
    pub t: f64,
    /// All outputs of the coupling.
    pub y: &'a [f64],
    /// All inputs of the coupling.
    pub u: &'a [f64],
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At its stop time.
    Stop,
    /// Whoever looked on wanted no more.
    Asked,
    /// A component ended the simulation.
    Terminated {
        /// Which one.
        component: String,
        /// When, if it says so.
        time: Option<f64>,
    },
}

/// A step that was discarded is tried again with smaller ones, down to this part of it.
const SMALLEST_PART: f64 = 1e-6;

impl Master {
    /// Simulates to the stop time. Each communication point is shown to `observe`, with the master for what is beyond
    /// coupling; false ends the simulation there.
    pub fn run_with(&mut self, mut observe: impl FnMut(&mut Master) -> bool) -> Result<End, Error> {
        let started = std::time::Instant::now();
        let end = match self.settings.control {
            Some(control) => self.run_controlled(Controller::new(control, &self.settings), &mut observe),
            None => self.run_fixed(&mut observe),
        };
        self.statistics.time += started.elapsed();
        self.count();
        end
    }

    /// The same, for an observer that needs values of the coupling only.
    pub fn run(&mut self, mut observe: impl FnMut(Point<'_>) -> bool) -> Result<End, Error> {
        self.run_with(|master| observe(master.point()))
    }

    /// The point that is reached.
    pub fn point(&self) -> Point<'_> {
        Point {
            t: self.t,
            y: &self.values.y,
            u: &self.values.u,
        }
    }

    fn run_controlled(
        &mut self,
        mut controller: Controller,
        observe: &mut impl FnMut(&mut Master) -> bool,
    ) -> Result<End, Error> {
        loop {
            if !observe(self) {
                return Ok(End::Asked);
            }
            if self.t >= self.settings.stop {
                return Ok(End::Stop);
            }
            if let Ended::Terminated { component, reached } = self.controlled(&mut controller)? {
                return Ok(self.terminated(component, reached));
            }
            self.watch()?;
        }
    }

    fn run_fixed(&mut self, observe: &mut impl FnMut(&mut Master) -> bool) -> Result<End, Error> {
        let settings = self.settings;
        // Multiples of the step from where it began, so that sums do not drift.
        let (mut origin, mut count) = (self.t, 0u64);
        let end = settings.stop - 1e-9 * (settings.stop - settings.start).min(settings.step);
        loop {
            if !observe(self) {
                return Ok(End::Asked);
            }
            if self.t >= end {
                return Ok(End::Stop);
            }
            let mut next = (origin + (count + 1) as f64 * settings.step).min(settings.stop);
            let mut whole = true;
            let corner = self.corners.meets(next);
            if corner {
                (next, whole) = self.corners.cut(next);
            }
            match self.fixed(next)? {
                Ended::Done => {
                    count += u64::from(whole);
                    if corner {
                        self.corners.pass(next);
                    }
                }
                Ended::Early { .. } => (origin, count) = (self.t, 0),
                Ended::Terminated { component, reached } => return Ok(self.terminated(component, reached)),
            }
            self.watch()?;
        }
    }

    fn terminated(&self, component: usize, time: Option<f64>) -> End {
        End::Terminated {
            component: self.coupling.components[component].clone(),
            time,
        }
    }

    /// A step to a given time. Where a component discards it, all go back, and together to where that one came.
    #[inline]
    fn fixed(&mut self, end: f64) -> Result<Ended, Error> {
        let h = end - self.t;
        let once = matches!(
            self.settings.algorithm,
            Algorithm::Jacobi | Algorithm::GaussSeidel | Algorithm::Stabilized
        );
        if self.scratch.saves {
            self.save(BEFORE)?;
        }
        let ended = self.step_to(end, h, once && !self.scratch.saves)?;
        match ended {
            Ended::Done => {
                self.statistics.step(h);
                Ok(ended)
            }
            Ended::Early { component, reached } => self.smaller(h, component, reached),
            Ended::Terminated { component, reached } => self.come_to_the_end(component, reached),
        }
    }

    /// Smaller steps after one that a component has discarded.
    #[cold]
    fn smaller(&mut self, h: f64, component: usize, reached: Option<f64>) -> Result<Ended, Error> {
        let (mut component, mut reached) = (component, reached);
        let mut part = h;
        loop {
            self.statistics.discarded += 1;
            let problem = |advice| Error::Discarded {
                component: self.coupling.components[component].clone(),
                time: self.scratch.saved.get(BEFORE).map_or(self.t, |saved| saved.0),
                step: part,
                reached,
                advice,
            };
            if !self.scratch.saves {
                return Err(problem(
                    "Take a step that it can make; going back to try a smaller one needs components that can \
                     (canGetAndSetFMUstate)",
                ));
            }
            let variable = |component: usize| self.variable_step[component];
            if !(0..self.components.len()).all(variable) {
                return Err(problem(
                    "Take a step that it can make; a component takes steps of one size only \
                     (canHandleVariableCommunicationStepSize)",
                ));
            }
            self.restore(BEFORE)?;
            let gained = reached.map_or(0.0, |reached| reached - self.t);
            part = match gained > SMALLEST_PART * part && gained < part {
                true => gained,
                false => 0.5 * part,
            };
            if part < SMALLEST_PART * h {
                let error = Error::Discarded {
                    component: self.coupling.components[component].clone(),
                    time: self.t,
                    step: part,
                    reached,
                    advice: "It refuses steps of any size here: look at what it logs",
                };
                return Err(error);
            }
            match self.step(part, false)? {
                Ended::Done => {
                    self.statistics.step(part);
                    return Ok(Ended::Early { component, reached });
                }
                Ended::Early {
                    component: other,
                    reached: further,
                } => (component, reached) = (other, further),
                ended @ Ended::Terminated { .. } => return Ok(ended),
            }
        }
    }

    /// Lets all components come as far as the one that has ended the simulation.
    #[cold]
    fn come_to_the_end(&mut self, component: usize, reached: Option<f64>) -> Result<Ended, Error> {
        if let (true, Some(time)) = (self.scratch.saves, reached) {
            self.restore(BEFORE)?;
            let h = time - self.t;
            if h > 0.0 && self.step(h, true)? == Ended::Done {
                self.statistics.step(h);
            }
        }
        Ok(Ended::Terminated { component, reached })
    }
}
