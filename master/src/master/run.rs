//! From start to stop: fixed steps, or steps that an estimate of the error allows.

use super::Master;
use super::step::Ended;
use crate::error::Error;
use crate::settings::{Algorithm, Control};

/// The places of snapshots for error control; lower ones belong to the algorithms.
const BEFORE: usize = 1;

/// The part of the tolerated error that is aimed at.
const TARGET: f64 = 0.9;

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

impl Master {
    /// Simulates to the stop time. Each communication point is shown to `observe`; false ends the simulation there.
    pub fn run(&mut self, mut observe: impl FnMut(Point<'_>) -> bool) -> Result<(), Error> {
        let mut go_on = self.show(&mut observe);
        let settings = self.settings;
        match settings.control {
            Some(control) => {
                let mut h = settings.step.clamp(control.minimum, control.maximum);
                let mut last_error = 1.0;
                while go_on && self.t < settings.stop {
                    let (next, ended) = self.controlled(h, &control, &mut last_error)?;
                    h = next;
                    go_on = self.show(&mut observe) && ended != Ended::Terminated;
                }
            }
            None => {
                // Multiples of the step from where it began, so that sums do not drift.
                let (mut origin, mut count) = (self.t, 0u64);
                let span = settings.stop - settings.start;
                while go_on && self.t < settings.stop - 1e-9 * span.min(settings.step) {
                    let next = (origin + (count + 1) as f64 * settings.step).min(settings.stop);
                    let h = next - self.t;
                    match self.fixed(h)? {
                        Ended::Done => {
                            self.t = next;
                            count += 1;
                        }
                        Ended::Early(_) => (origin, count) = (self.t, 0),
                        Ended::Terminated => go_on = false,
                    }
                    go_on = self.show(&mut observe) && go_on;
                }
            }
        }
        Ok(())
    }

    fn show(&mut self, observe: &mut impl FnMut(Point<'_>) -> bool) -> bool {
        observe(Point {
            t: self.t,
            y: &self.values.y,
            u: &self.values.u,
        })
    }

    /// A step of given size. Where a component discards it, all go back, and together to where that one came.
    fn fixed(&mut self, h: f64) -> Result<Ended, Error> {
        let may_go_back = self.capabilities.iter().all(|can| can.snapshots);
        let last =
            self.settings.algorithm == Algorithm::Jacobi || self.settings.algorithm == Algorithm::GaussSeidel;
        let ended = self.step(h, last && !may_go_back)?;
        match ended {
            Ended::Done => {
                self.statistics.step(h);
                self.look()?;
            }
            Ended::Early(_) => {
                self.statistics.discarded += 1;
                return Err(self.stuck(ended));
            }
            Ended::Terminated => {}
        }
        Ok(ended)
    }

    fn stuck(&self, ended: Ended) -> Error {
        let reached = match ended {
            Ended::Early(time) => time,
            Ended::Done | Ended::Terminated => self.t,
        };
        Error::TooSmall {
            time: self.t,
            step: reached - self.t,
            minimum: self.settings.step,
            worst: self.coupling.components.join(", "),
        }
    }

    /// One step of size `h`, compared with two of half the size; repeated with a smaller one until the error is
    /// tolerated. Tells the size for the next step.
    fn controlled(&mut self, h: f64, control: &Control, last_error: &mut f64) -> Result<(f64, Ended), Error> {
        let stop = self.settings.stop;
        // The local error of coupling variables whose inputs are extrapolated with order k is of order k + 2.
        let order = f64::from(self.settings.extrapolation) + 2.0;
        let mut h = h;
        self.save(BEFORE)?;
        loop {
            let rest = stop - self.t;
            if h > rest * (1.0 - 1e-9) {
                h = rest;
            } else if h > 0.5 * rest {
                h = 0.5 * rest;
            }
            let begin = self.t;
            let attempt = |master: &mut Master| -> Result<Result<Vec<f64>, Ended>, Error> {
                match master.step(h, false)? {
                    Ended::Done => {}
                    early => return Ok(Err(early)),
                }
                let coarse = master.values.y.clone();
                master.restore(BEFORE)?;
                for _ in 0..2 {
                    match master.step(0.5 * h, false)? {
                        Ended::Done => {}
                        early => return Ok(Err(early)),
                    }
                }
                master.t = if h == rest { stop } else { begin + h };
                Ok(Ok(coarse))
            };
            let coarse = match attempt(self)? {
                Ok(coarse) => coarse,
                Err(Ended::Early(reached)) if reached > begin => {
                    self.statistics.discarded += 1;
                    self.restore(BEFORE)?;
                    h = reached - begin;
                    continue;
                }
                Err(Ended::Terminated) => return Ok((h, Ended::Terminated)),
                Err(_) => {
                    self.statistics.discarded += 1;
                    self.restore(BEFORE)?;
                    h *= 0.25;
                    if h < control.minimum {
                        return Err(self.too_small(h, control, 0));
                    }
                    continue;
                }
            };
            let (error, worst) = self.error(&coarse, control, order);
            if error <= 1.0 {
                self.statistics.step(h);
                self.look()?;
                // A PI controller: what the last error was counts as well.
                let error = error.max(1e-6) / TARGET;
                let factor = error.powf(-0.7 / order) * last_error.powf(0.4 / order);
                *last_error = error;
                return Ok((
                    (h * factor.clamp(0.2, 5.0)).clamp(control.minimum, control.maximum),
                    Ended::Done,
                ));
            }
            self.statistics.rejected += 1;
            self.restore(BEFORE)?;
            let factor = if error.is_finite() {
                0.9 * error.powf(-1.0 / order)
            } else {
                0.1
            };
            h *= factor.clamp(0.1, 0.9);
            if h < control.minimum {
                return Err(self.too_small(h, control, worst));
            }
        }
    }

    fn too_small(&self, step: f64, control: &Control, worst: usize) -> Error {
        Error::TooSmall {
            time: self.t,
            step,
            minimum: control.minimum,
            worst: self
                .coupling
                .outputs
                .get(worst)
                .map_or_else(String::new, |output| output.name.clone()),
        }
    }

    /// The root of the mean square of the estimated errors of all outputs, each by what is tolerated of it.
    fn error(&self, coarse: &[f64], control: &Control, order: f64) -> (f64, usize) {
        let richardson = 1.0 / (2f64.powf(order - 1.0) - 1.0);
        let (mut sum, mut worst) = (0.0, (0.0, 0));
        for (output, (fine, coarse)) in self.values.y.iter().zip(coarse).enumerate() {
            let nominal = self.coupling.outputs[output].nominal;
            let tolerated = control.absolute * nominal + control.relative * fine.abs();
            let error = richardson * (fine - coarse) / tolerated;
            sum += error * error;
            if error.is_nan() || error.abs() > worst.0 {
                worst = (error.abs(), output);
            }
        }
        let mean = (sum / self.values.y.len().max(1) as f64).sqrt();
        (if mean.is_nan() { f64::INFINITY } else { mean }, worst.1)
    }

    /// Whether values are still numbers, and within all reason.
    fn look(&mut self) -> Result<(), Error> {
        const BOUND: f64 = 1e30;
        for (output, y) in self.values.y.iter().enumerate() {
            let nominal = self.coupling.outputs[output].nominal;
            if y.is_nan() || y.abs() >= BOUND * nominal.max(1.0) {
                return Err(Error::Diverged {
                    variable: self.coupling.outputs[output].name.clone(),
                    time: self.t,
                    value: *y,
                    advice: "Take a smaller step, error control, or an algorithm that iterates".to_owned(),
                });
            }
        }
        Ok(())
    }
}
