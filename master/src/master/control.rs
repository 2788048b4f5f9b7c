//! Error control: a step is compared with two of half the size, and repeated with a smaller one where they differ too
//! much.

use super::Master;
use super::jumps::Jumps;
use super::measure::{Measures, Verdict};
use super::step::{BEFORE, Ended};
use super::stopped::inside;
use crate::error::Error;
use crate::settings::{Control, Norm, Per, Settings};

/// The part of the tolerated error that is aimed at.
const TARGET: f64 = 0.9;
/// A warning appears when the accumulated error exceeds this many tolerances.
const MUCH: f64 = 30.0;
/// After this many consecutive minimum steps the run ends with an error: a jump needs fewer.
const CRAWLS: u32 = 100;
/// The logarithm of the smallest tolerance that integrators inside of components are given.
const LEAST_INSIDE: f64 = -12.0;
/// Factor by which the limit of an iteration grows while roundings prevent convergence.
const LOOSER: f64 = 10.0;
/// A step that was reduced below this part of its size for a jump grows at once after it.
const HUNTED: f64 = 0.1;

/// What is remembered from step to step.
#[derive(Debug)]
pub(super) struct Controller {
    control: Control,
    measures: Measures,
    /// Of the whole run.
    duration: f64,
    /// Size of the next step.
    h: f64,
    last_error: f64,
    rejected: bool,
    /// The size before steps were made smaller for a jump.
    hunted_from: Option<f64>,
    /// What additions to the time have lost so far.
    lost: f64,
    /// Steps one after another that were accepted at the minimum.
    at_minimum: u32,
}

impl Controller {
    fn new(control: Control, settings: &Settings, measures: Measures) -> Controller {
        Controller {
            control,
            measures,
            duration: settings.stop - settings.start,
            h: settings.step.clamp(control.minimum, control.maximum),
            last_error: TARGET,
            rejected: false,
            hunted_from: None,
            lost: 0.0,
            at_minimum: 0,
        }
    }

    /// A PI controller: the last error counts as well.
    fn accept(&mut self, h: f64, verdict: &Verdict) {
        let error = verdict.error.max(1e-4);
        let factor =
            (TARGET / error).powf(0.7 / verdict.power) * (self.last_error / TARGET).powf(0.4 / verdict.power);
        let most = if self.rejected { 1.0 } else { 5.0 };
        self.last_error = error;
        self.rejected = false;
        self.h = (h * factor.clamp(0.2, most)).clamp(self.control.minimum, self.control.maximum);
        if verdict.jump
            && let Some(before) = self.hunted_from.take().filter(|before| h < HUNTED * before)
        {
            (self.h, self.last_error) = (before, TARGET);
        }
    }

    fn reject(&mut self, h: f64, verdict: &Verdict) {
        self.rejected = true;
        if verdict.jump {
            self.hunted_from.get_or_insert(h);
        }
        let factor = match verdict.error.is_finite() {
            true => (TARGET / verdict.error).powf(1.0 / verdict.power),
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

    /// The next step, if it shall not go over `rest`.
    fn next(&self, rest: f64) -> f64 {
        // The last two steps share what is left, so that none is tiny.
        match self.h {
            h if h > rest * (1.0 - 1e-9) => rest,
            h if h > 0.5 * rest => 0.5 * rest,
            h => h,
        }
    }
}

/// Whether an error may come of the size of a step: a smaller one changes less, and its iterations begin nearer to their end.
pub(super) fn is_too_large(error: &Error) -> bool {
    matches!(
        error,
        Error::Step { .. } | Error::Loop { .. } | Error::NotANumber { .. }
    )
}

impl Master {
    /// Begins error control where the system is.
    pub(super) fn controller(&mut self, control: Control) -> Result<Controller, Error> {
        let mut measures = Measures::new(self);
        self.prepare_split(&measures);
        let mut now = std::mem::take(&mut measures.fine);
        self.measure(&measures, &mut now)?;
        measures.fine = now;
        self.find_event_sources(&mut measures.jumps);
        self.find_triggers(&mut measures.jumps);
        self.note_events(&mut measures.jumps);
        let control = self.bound_by_samples(control, &measures.jumps);
        Ok(Controller::new(control, &self.settings, measures))
    }

    /// The next step that the error allows.
    pub(super) fn controlled(&mut self, controller: &mut Controller) -> Result<Ended, Error> {
        self.save(BEFORE)?;
        controller.measures.begin();
        self.note_discrete(&mut controller.measures.jumps)?;
        self.note_events(&mut controller.measures.jumps);
        let begin = self.state.t;
        let corner = self.corners.next().min(controller.measures.jumps.next_event());
        let mut stop = self.settings.stop.min(corner);
        // A component that ends the simulation earlier, at a time that all components can step to.
        let mut last = None;
        // The error at the minimum step comes of a jump, or of roundings: no smaller step would help.
        let mut forced = false;
        loop {
            let rest = stop - begin;
            let h = controller.next(rest);
            let (end, lost) = match h == rest {
                true => (stop, 0.0),
                false => controller.add(begin, h),
            };
            self.tighten(&controller.control, h / controller.duration);
            let ended = match self.twice(end, h, &mut controller.measures) {
                Err(error) if is_too_large(&error) => {
                    self.shrink(controller, h, error)?;
                    continue;
                }
                ended => ended?,
            };
            match ended {
                Ended::Done => {}
                Ended::Early { component, reached } => {
                    self.shorten(controller, h, component, reached)?;
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
            let mut verdict = controller
                .measures
                .judge(&controller.control, h, controller.duration);
            if controller.control.norm == Norm::Maximum {
                self.judge_triggers(
                    &controller.measures,
                    &controller.control,
                    h,
                    controller.duration,
                    &mut verdict,
                );
            }
            if (verdict.error <= 1.0 || forced) && controller.control.norm == Norm::Maximum {
                self.look_for_jumps(&mut controller.measures, &controller.control, h, &mut verdict)?;
            }
            if verdict.error <= 1.0 || forced {
                controller.lost = lost;
                controller.at_minimum = if forced { controller.at_minimum + 1 } else { 0 };
                controller.measures.accept(h);
                self.accept(controller, h, &verdict, begin)?;
                match stop == corner && h < controller.h {
                    true => controller.keep(),
                    false => controller.accept(h, &verdict),
                }
                self.corners.pass(self.state.t);
                let reached = Some(self.state.t);
                return Ok(match last.filter(|_| self.state.t == stop) {
                    Some(component) => Ended::Terminated { component, reached },
                    None => Ended::Done,
                });
            }
            self.statistics.rejected += 1;
            let not_finite = match verdict.error.is_finite() {
                true => None,
                false => self.not_finite(),
            };
            self.restore(BEFORE)?;
            controller.reject(h, &verdict);
            controller.measures.reject(h);
            let minimum = controller.control.minimum;
            if controller.h >= minimum {
                continue;
            }
            if h <= minimum * (1.0 + 1e-9) {
                let (control, duration) = (controller.control, controller.duration);
                let measures = &mut controller.measures;
                forced = verdict.error.is_finite()
                    && controller.at_minimum < CRAWLS
                    && (verdict.only_jumps || self.only_jumps(measures, &control, h, duration)?);
                let value = controller.measures.fine[verdict.worst];
                if !forced && !value.is_finite() {
                    return Err(not_finite.unwrap_or_else(|| Error::NotANumber {
                        variable: controller.measures.name(verdict.worst).to_owned(),
                        time: begin,
                        infinite: value.is_infinite(),
                        inputs_are_finite: false,
                    }));
                }
                if !forced {
                    return Err(Error::TooSmall {
                        time: begin,
                        step: controller.h,
                        minimum,
                        worst: controller.measures.name(verdict.worst).to_owned(),
                        advice: self.advice_at_minimum(&controller.measures.jumps),
                    });
                }
            }
            controller.h = minimum;
        }
    }

    /// What to do where no step is small enough.
    fn advice_at_minimum(&mut self, jumps: &Jumps) -> String {
        if let Some(advice) = self.advice_for_samples(jumps) {
            return advice;
        }
        match self.settings.extrapolation {
            0 | 1 => "Take a larger tolerance, or a higher order of extrapolation".to_owned(),
            _ => "Take a larger tolerance".to_owned(),
        }
    }

    /// What iterations leave must not count as an error of the step, which may be a small part of the run.
    fn tighten(&mut self, control: &Control, part: f64) {
        let tolerated = match control.per {
            Per::UnitStep => control.relative * part,
            Per::Step => control.relative,
        };
        self.state.convergence = self.settings.convergence.min((1e-2 * tolerated).max(1e-14));
        // The same for what integrators inside of components leave. In powers of ten, because a new tolerance costs them steps.
        let inside = (1e-2 * tolerated).log10().floor().max(LEAST_INSIDE);
        for component in 0..self.components.len() {
            self.place(component).component.tolerate(10.0_f64.powf(inside));
        }
    }

    /// Accepts ten times as much as now of what iterations leave, up to the setting; whether that is more than now. Roundings
    /// may leave a little more than is asked for, and all that the setting allows may be more than the step tolerates.
    pub(super) fn loosen(&mut self) -> bool {
        let tight = self.is_tight();
        self.state.convergence = (LOOSER * self.state.convergence).min(self.settings.convergence);
        tight
    }

    /// Whether iterations have to leave less than by the setting.
    pub(super) fn is_tight(&self) -> bool {
        self.state.convergence < self.settings.convergence
    }

    /// The equations of the step were not solved: all go back, for a smaller one. At the minimum that is an error.
    fn shrink(&mut self, controller: &mut Controller, h: f64, error: Error) -> Result<(), Error> {
        let minimum = controller.control.minimum;
        if h <= minimum * (1.0 + 1e-9) {
            return Err(error);
        }
        self.statistics.rejected += 1;
        self.restore(BEFORE)?;
        controller.rejected = true;
        controller.h = (0.25 * h).max(minimum);
        Ok(())
    }

    /// A component ended the step early: all go back, for a smaller one.
    fn shorten(
        &mut self,
        controller: &mut Controller,
        h: f64,
        component: usize,
        reached: Option<f64>,
    ) -> Result<(), Error> {
        self.statistics.discarded += 1;
        self.restore(BEFORE)?;
        let gained = reached.map_or(0.0, |reached| reached - self.state.t);
        controller.h = match gained > 0.0 && gained < h {
            true => gained,
            false => 0.25 * h,
        };
        match controller.h < controller.control.minimum {
            true => Err(Error::Discarded {
                component: self.coupling.components[component].clone(),
                time: self.state.t,
                step: h,
                reached,
                advice: "It refuses steps down to the minimum: look at what it logs".to_owned(),
                remedy: None,
            }),
            false => Ok(()),
        }
    }

    /// Counts a step, and restarts histories that would extend across a jump.
    fn accept(
        &mut self,
        controller: &mut Controller,
        h: f64,
        verdict: &Verdict,
        begin: f64,
    ) -> Result<(), Error> {
        self.statistics.step(h);
        self.statistics.jumps += u64::from(verdict.jump);
        self.state.step_error = verdict.error;
        if verdict.error > 1.0 {
            self.statistics.at_minimum += 1;
            if self.statistics.at_minimum == 1 {
                let name = controller.measures.name(verdict.worst);
                let (error, minimum) = (verdict.error, controller.control.minimum);
                self.warnings.push(match controller.measures.is_rounding(verdict.worst) {
                    true => format!(
                        "{name} is no more accurate with smaller steps at t = {begin}: what a step and two of half the size differ by \
                         are roundings, which count as {error:.1e} tolerances. The step was accepted at the minimum of {minimum:e} \
                         (the statistics count such steps). Take a larger tolerance, or a larger minimum"
                    ),
                    false => format!(
                        "{name} jumps at t = {begin}: its error of {error:.1e} tolerances does not fall with the step, which was \
                         accepted at the minimum of {minimum:e} (the statistics count such steps)"
                    ),
                });
            }
        }
        match verdict.jump {
            true => self.forget_jumps(&controller.measures.jumps, h),
            false => Ok(()),
        }
    }

    /// A step, kept aside, and then two of half the size, with the values that are measured at their ends.
    pub(super) fn twice(&mut self, end: f64, h: f64, measures: &mut Measures) -> Result<Ended, Error> {
        self.accuracies(h, &mut measures.accuracies);
        let ended = self.step_to(end, h, true)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
        let mut coarse = std::mem::take(&mut measures.coarse);
        let measured = self.measure(measures, &mut coarse);
        measures.coarse = coarse;
        measured?;
        self.note_ends(&mut measures.split, 0);
        self.restore(BEFORE)?;
        self.note_orders(&mut measures.jumps);
        let mut ended = Ended::Done;
        for half in 0..2 {
            self.expect(&mut measures.jumps, 0.5 * h);
            ended = match half {
                0 => self.step(0.5 * h, true)?,
                // All may go back to before both halves.
                _ => self.step_to(end, 0.5 * h, false)?,
            };
            if ended != Ended::Done {
                return Ok(ended);
            }
            self.compare(&mut measures.jumps, half, 0.5 * h);
        }
        let mut fine = std::mem::take(&mut measures.fine);
        let measured = self.measure(measures, &mut fine);
        measures.fine = fine;
        measured?;
        self.note_ends(&mut measures.split, 1);
        self.split(measures);
        Ok(ended)
    }

    /// The estimated accumulated error for the statistics, and a warning where it is far above the tolerance.
    pub(super) fn sum_up(&mut self, controller: &Controller) {
        let (error, variable) = controller.measures.accumulated(&controller.control);
        self.statistics.accumulated_error = Some(error);
        if error > MUCH {
            self.warnings.push(format!(
                "the estimated errors of all steps add up to {error:.0} tolerances in {variable}: the results may be wrong by as \
                 much. Take a smaller tolerance{}",
                match controller.control.per {
                    Per::UnitStep => "",
                    Per::Step => ", or per = \"unit-step\"",
                }
            ));
        }
    }
}
