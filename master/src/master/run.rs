//! From start to stop: fixed steps, or steps that an estimate of the error allows.

use super::Master;
use super::control::Controller;
use super::step::{BEFORE, Ended};
use crate::error::Error;
use crate::observe::{End, Point};
use crate::settings::Control;

impl Master {
    /// Simulates to the stop time. Each communication point is shown to `observe`, with the master for what is beyond
    /// coupling; false ends the simulation there.
    pub fn run_with(&mut self, mut observe: impl FnMut(&mut Master) -> bool) -> Result<End, Error> {
        let started = std::time::Instant::now();
        let end = match self.settings.control {
            Some(control) => self.run_controlled(control, &mut observe),
            None => {
                let end = self.run_fixed(&mut observe);
                self.sum_up_comparison();
                end
            }
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
            t: self.state.t,
            y: &self.state.values.y,
            u: &self.state.values.u,
        }
    }

    fn run_controlled(
        &mut self,
        control: Control,
        observe: &mut impl FnMut(&mut Master) -> bool,
    ) -> Result<End, Error> {
        let mut controller = self.controller(control)?;
        let end = self.controlled_steps(&mut controller, observe);
        self.sum_up(&controller);
        end
    }

    fn controlled_steps(
        &mut self,
        controller: &mut Controller,
        observe: &mut impl FnMut(&mut Master) -> bool,
    ) -> Result<End, Error> {
        loop {
            if !observe(self) {
                return Ok(End::Interrupted);
            }
            if self.state.t >= self.settings.stop {
                return Ok(End::Reached);
            }
            let begin = self.state.t;
            let ended = self.controlled(controller);
            let ended = self.or_back(begin, ended)?;
            if let Some(end) = self.is_the_end(ended, begin, observe) {
                return Ok(end);
            }
            self.watch()?;
        }
    }

    fn run_fixed(&mut self, observe: &mut impl FnMut(&mut Master) -> bool) -> Result<End, Error> {
        let settings = self.settings;
        // Multiples of the step from where it began, so that sums do not drift.
        let (origin, mut count) = (self.state.t, 0u64);
        let slack = 1e-9 * (settings.stop - settings.start).min(settings.step);
        let mut on_grid = true;
        loop {
            if !observe(self) {
                return Ok(End::Interrupted);
            }
            if self.state.t >= settings.stop - slack {
                return Ok(End::Reached);
            }
            let mut next = origin + (count + 1) as f64 * settings.step;
            while !on_grid && next <= self.state.t + slack {
                count += 1;
                next = origin + (count + 1) as f64 * settings.step;
            }
            let mut whole = next <= settings.stop + slack;
            next = next.min(settings.stop);
            let corner = self.corners.meets(next);
            if corner {
                let cut = self.corners.cut(next);
                (next, whole) = (cut.0, whole && cut.1);
            }
            // The step that the user chose, without the rounding of `next - t`: some FMUs take no other.
            let h = match whole && on_grid {
                true => settings.step,
                false => next - self.state.t,
            };
            let begin = self.state.t;
            if !corner {
                let compared = self.compare_halves(h);
                self.or_back(begin, compared)?;
            }
            let ended = self.fixed(next, h);
            let ended = self.or_back(begin, ended)?;
            on_grid = whole && ended == Ended::Done;
            if ended == Ended::Done {
                count += u64::from(whole);
                if corner {
                    self.corners.pass(next);
                    // Steps over a corner are not replayed.
                    self.memory.replay.steps.clear();
                }
            }
            if let Some(end) = self.is_the_end(ended, begin, observe) {
                return Ok(end);
            }
            self.watch()?;
        }
    }

    /// After a step that failed halfway, the time is that of the last point that was shown: the results end there.
    #[inline(always)]
    fn or_back<T>(&mut self, begin: f64, tried: Result<T, Error>) -> Result<T, Error> {
        if tried.is_err() {
            self.state.t = begin;
        }
        tried
    }

    /// A step to a given time; smaller if a component discards it.
    #[inline(always)]
    fn fixed(&mut self, end: f64, h: f64) -> Result<Ended, Error> {
        if self.memory.replay.saves {
            self.save_in_case()?;
        }
        // All may have to go back to before this step.
        let earlier = self.memory.replay.saves && self.memory.replay.stretch > 1;
        let plain = self.memory.plain.possible && !self.in_parallel();
        if !(plain && self.plain(end, h, !earlier)) {
            let ended = match plain {
                true => self.why_not_done()?,
                false => self.step_by_algorithm(end, h, !earlier)?,
            };
            if ended != Ended::Done {
                return self.stopped(h, ended);
            }
        }
        self.statistics.step(h);
        if self.memory.replay.saves {
            self.memory.replay.steps.push((end, h));
        }
        Ok(Ended::Done)
    }

    /// Whether a component has ended the simulation; the point that all have reached is the last one to be shown.
    #[inline]
    fn is_the_end(
        &mut self,
        ended: Ended,
        begin: f64,
        observe: &mut impl FnMut(&mut Master) -> bool,
    ) -> Option<End> {
        let (component, time) = match ended {
            Ended::Terminated { component, reached } => (component, reached),
            _ => {
                let mut all = 0..self.components.len();
                (
                    all.find(|&component| self.place(component).ended)?,
                    Some(self.state.t),
                )
            }
        };
        if self.state.t > begin {
            observe(self);
        }
        Some(End::Terminated {
            component: self.coupling.components[component].clone(),
            time,
        })
    }

    /// Takes snapshots that only discarded steps need, if the last ones do not serve any more.
    #[inline]
    fn save_in_case(&mut self) -> Result<(), Error> {
        if (1..self.memory.replay.stretch).contains(&self.memory.replay.steps.len()) {
            return Ok(());
        }
        self.memory.replay.steps.clear();
        match self.save(BEFORE) {
            Err(Error::Component {
                component,
                time,
                source,
            }) => Err(self.unsaved(component, time, source)),
            saved => saved,
        }
    }
}
