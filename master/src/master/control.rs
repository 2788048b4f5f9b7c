//! Error control: a step is compared with two of half the size, and repeated with a smaller one where they differ too
//! much.

use super::Master;
use super::step::{BEFORE, Ended};
use super::stopped::inside;
use crate::error::Error;
use crate::settings::{Control, Settings};

/// The part of the tolerated error that is aimed at.
const TARGET: f64 = 0.9;

/// What is remembered from step to step.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    control: Control,
    /// The order of the local error.
    order: f64,
    /// Size of the next step.
    h: f64,
    last_error: f64,
    rejected: bool,
    /// What additions to the time have lost so far.
    lost: f64,
}

impl Controller {
    pub fn new(control: Control, settings: &Settings) -> Controller {
        Controller {
            control,
            // Inputs that are extrapolated with order k are wrong by h^(k + 1), and what is integrated from them by one
            // order more.
            order: f64::from(settings.extrapolation) + 2.0,
            h: settings.step.clamp(control.minimum, control.maximum),
            last_error: TARGET,
            rejected: false,
            lost: 0.0,
        }
    }

    /// A PI controller: what the last error was counts as well.
    fn accept(&mut self, h: f64, error: f64) {
        let error = error.max(1e-4);
        let factor =
            (TARGET / error).powf(0.7 / self.order) * (self.last_error / TARGET).powf(0.4 / self.order);
        let most = if self.rejected { 1.0 } else { 5.0 };
        self.last_error = error;
        self.rejected = false;
        self.h = (h * factor.clamp(0.2, most)).clamp(self.control.minimum, self.control.maximum);
    }

    fn reject(&mut self, h: f64, error: f64) {
        self.rejected = true;
        let factor = match error.is_finite() {
            true => (TARGET / error).powf(1.0 / self.order),
            false => 0.1,
        };
        self.h = h * factor.clamp(0.1, 0.9);
    }

    /// A step that ended at a corner, before the size that was proposed: that stays.
    fn keep(&mut self) {
        self.rejected = false;
    }

    /// `t + h`, with what earlier additions have lost, and what is lost then.
    fn add(&self, t: f64, h: f64) -> (f64, f64) {
        let h = h - self.lost;
        let sum = t + h;
        (sum, (sum - t) - h)
    }
}

impl Master {
    /// The next step that the error allows.
    pub(super) fn controlled(&mut self, controller: &mut Controller) -> Result<Ended, Error> {
        self.save(BEFORE)?;
        let begin = self.t;
        let corner = self.corners.next();
        let mut stop = self.settings.stop.min(corner);
        // Who ends the simulation before, and is reached by all together.
        let mut last = None;
        loop {
            let rest = stop - begin;
            let mut h = controller.h;
            // The last two steps share what is left, so that none is tiny.
            if h > rest * (1.0 - 1e-9) {
                h = rest;
            } else if h > 0.5 * rest {
                h = 0.5 * rest;
            }
            let (end, lost) = match h == rest {
                true => (stop, 0.0),
                false => controller.add(begin, h),
            };
            match self.twice(end, h)? {
                Ended::Done => {}
                Ended::Early { component, reached } => {
                    self.statistics.discarded += 1;
                    self.restore(BEFORE)?;
                    let gained = reached.map_or(0.0, |reached| reached - begin);
                    controller.h = match gained > 0.0 && gained < h {
                        true => gained,
                        false => 0.25 * h,
                    };
                    if controller.h < controller.control.minimum {
                        return Err(Error::Discarded {
                            component: self.coupling.components[component].clone(),
                            time: begin,
                            step: h,
                            reached,
                            advice: "It refuses steps down to the minimum: look at what it logs".to_owned(),
                            remedy: None,
                        });
                    }
                    continue;
                }
                Ended::Terminated { component, reached } => {
                    self.restore(BEFORE)?;
                    let Some(time) = inside(reached, begin, stop) else {
                        return Ok(Ended::Terminated { component, reached });
                    };
                    (stop, last) = (time, Some(component));
                    continue;
                }
            }
            let (error, worst) = self.error(controller);
            if error <= 1.0 {
                controller.lost = lost;
                self.statistics.step(h);
                match stop == corner && h < controller.h {
                    true => controller.keep(),
                    false => controller.accept(h, error),
                }
                self.corners.pass(self.t);
                let reached = Some(self.t);
                return Ok(match last.filter(|_| self.t == stop) {
                    Some(component) => Ended::Terminated { component, reached },
                    None => Ended::Done,
                });
            }
            self.statistics.rejected += 1;
            self.restore(BEFORE)?;
            controller.reject(h, error);
            if controller.h < controller.control.minimum {
                return Err(Error::TooSmall {
                    time: begin,
                    step: controller.h,
                    minimum: controller.control.minimum,
                    worst: self.coupling.outputs[worst].name.clone(),
                });
            }
        }
    }

    /// A step, kept aside, and then two of half the size.
    fn twice(&mut self, end: f64, h: f64) -> Result<Ended, Error> {
        let ended = self.step_to(end, h, true)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
        self.scratch.coarse.copy_from_slice(&self.values.y);
        self.restore(BEFORE)?;
        self.scratch.before.copy_from_slice(&self.values.y);
        match self.step(0.5 * h, true)? {
            // All may go back to before both halves.
            Ended::Done => self.step_to(end, 0.5 * h, false),
            ended => Ok(ended),
        }
    }

    /// The root of the mean square of the estimated errors of the coupling variables, each by what is tolerated of it,
    /// and which one is worst.
    fn error(&self, controller: &Controller) -> (f64, usize) {
        let Control {
            absolute, relative, ..
        } = controller.control;
        // Two half steps have 2^(1 - order) of the error of a whole one (Richardson).
        let richardson = 1.0 / (2f64.powf(controller.order - 1.0) - 1.0);
        let (mut sum, mut worst) = (0.0, (0.0, 0));
        for &output in &self.plan.coupled {
            let (fine, coarse, before) = (
                self.values.y[output],
                self.scratch.coarse[output],
                self.scratch.before[output],
            );
            let nominal = self.coupling.outputs[output].nominal.abs();
            let tolerated = absolute * nominal + relative * fine.abs().max(before.abs());
            let error = richardson * (fine - coarse) / tolerated;
            sum += error * error;
            if error.is_nan() || error.abs() > worst.0 {
                worst = (error.abs(), output);
            }
        }
        let mean = (sum / self.plan.coupled.len().max(1) as f64).sqrt();
        (if mean.is_nan() { f64::INFINITY } else { mean }, worst.1)
    }
}
