//! The curves that inputs follow over a step: extrapolated, aimed at an end, smooth or not.

use std::ops::Range;

use super::samples::Needs;
use super::{Master, of};
use crate::coupling::Link;
use crate::error::Error;
use crate::history::History;
use crate::settings::{Correction, Settings};

/// What all inputs are at the beginning of a step, and their first and second derivative there.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    pub start: Vec<f64>,
    pub first: Vec<f64>,
    pub second: Vec<f64>,
}

impl Curves {
    pub fn new(inputs: usize) -> Curves {
        Curves {
            start: vec![0.0; inputs],
            first: vec![0.0; inputs],
            second: vec![0.0; inputs],
        }
    }

    /// Takes over the curves of some inputs.
    pub fn take(&mut self, other: &Curves, inputs: Range<usize>) {
        let of = [
            (&mut self.start, &other.start),
            (&mut self.first, &other.first),
            (&mut self.second, &other.second),
        ];
        for (own, other) in of {
            own[inputs.clone()].copy_from_slice(&other[inputs.clone()]);
        }
    }

    /// The value at the end of a step.
    #[inline]
    pub fn end(&self, input: usize, h: f64) -> f64 {
        self.start[input] + h * (self.first[input] + 0.5 * h * self.second[input])
    }

    /// The slope at the end of a step.
    #[inline]
    pub fn slope(&self, input: usize, h: f64) -> f64 {
        self.first[input] + h * self.second[input]
    }

    /// An input shall be `end` at the end of the step: at once, or along a polynomial of an order.
    #[inline]
    pub fn aim(&mut self, input: usize, order: u32, history: &History, u: f64, h: f64, end: f64) {
        if order == 0 || history.is_unknown(input) {
            self.start[input] = end;
            return;
        }
        self.start[input] = u;
        [self.first[input], self.second[input]] = history.towards(order, input, h, end);
    }
}

/// The memory of extrapolation.
#[derive(Debug, Default)]
pub(super) struct Extrapolation {
    dy: Vec<f64>,
    end: Vec<f64>,
    pub curves: Curves,
    /// The curves that inputs have followed in the last step, where smoothing or a correction asks for them: those of a
    /// component that has stepped may be for its next try already.
    pub used: Curves,
    pub keeps_used: bool,
}

impl Extrapolation {
    pub fn new(settings: &Settings, inputs: usize, outputs: usize) -> Extrapolation {
        Extrapolation {
            dy: vec![0.0; outputs],
            end: vec![0.0; inputs],
            curves: Curves::new(inputs),
            used: Curves::new(inputs),
            keeps_used: settings.smoothing || settings.correction == Correction::Linear,
        }
    }
}

impl Master {
    /// The curves that all inputs follow in the step to come, as far as is known beforehand.
    #[inline]
    pub(super) fn begin(&mut self, h: f64) {
        let curves = &mut self.memory.extrapolation.curves;
        curves.start.copy_from_slice(&self.state.values.u);
        if self.settings.extrapolation == 0 {
            return;
        }
        curves.first.copy_from_slice(&self.state.values.du[0]);
        curves.second.copy_from_slice(&self.state.values.du[1]);
        if self.settings.smoothing && self.state.values.smooth {
            // Andersson 2016, equation 6.71 d and e: from where the inputs are to where they are bound for.
            for input in 0..curves.start.len() {
                if self.plan.orders[input] == 0 {
                    continue;
                }
                let target = curves.end(input, h);
                curves.start[input] = self.state.values.end[input];
                curves.first[input] = (target - curves.start[input]) / h;
                curves.second[input] = 0.0;
            }
        }
    }

    /// Inputs that a component feeds, which has made its step, go to its new outputs, unless they are held; in the parallel
    /// algorithm only those that are sampled, and those of components that are solved for together with it.
    #[inline]
    pub(super) fn aim(&mut self, component: usize, h: f64) {
        let parallel = self.settings.algorithm.at_once();
        for output in self.coupling.outputs_of(component) {
            for &input in self.plan.fed_by(output) {
                let Link::Output { gain, offset, .. } = self.coupling.inputs[input].link else {
                    continue;
                };
                let owner = self.coupling.structure().inputs[input];
                let aims = match self.plan.needs[input] {
                    Needs::Curve => !parallel || self.plan.together(component, owner),
                    Needs::Beginning => false,
                    Needs::End => true,
                };
                if !aims {
                    continue;
                }
                let end = gain * self.state.values.y[output] + offset;
                self.memory.extrapolation.curves.aim(
                    input,
                    self.plan.orders[input],
                    &self.state.values.history,
                    self.state.values.u[input],
                    h,
                    end,
                );
            }
        }
    }

    /// The derivatives of the inputs at the present time, for the step to come.
    pub(super) fn next_derivatives(&mut self, h: f64) -> Result<(), Error> {
        let order = self.settings.extrapolation;
        if order == 0 {
            return Ok(());
        }
        let mut h = h;
        if self.state.t != self.corners.next() {
            self.state.values.history.push(self.state.t, &self.state.values.u);
        } else if self.turn()? {
            // As at the start.
            h = 0.0;
        }
        self.take_derivatives(h)
    }

    /// The derivatives that belong to the history as it is, after a step of `h`.
    pub(super) fn take_derivatives(&mut self, h: f64) -> Result<(), Error> {
        let order = self.settings.extrapolation;
        let closes = self.closes_derivatives(h)?;
        for k in 1..=order {
            let index = k as usize - 1;
            self.signals
                .evaluate(self.state.t, k as usize, &mut self.memory.algebra.signals);
            for component in 0..self.components.len() {
                let one = self.place(component);
                if one.can.output_derivatives >= order && !one.outputs.is_empty() {
                    let outputs = one.outputs.clone();
                    let mut dy = std::mem::take(&mut self.memory.extrapolation.dy);
                    let result = self
                        .place(component)
                        .component
                        .output_derivatives(k, &mut dy[outputs]);
                    self.memory.extrapolation.dy = dy;
                    of!(self, component, result);
                }
            }
            for input in 0..self.state.values.u.len() {
                self.state.values.du[index][input] = match self.coupling.inputs[input].link {
                    _ if self.plan.orders[input] < k => 0.0,
                    Link::Output { output, gain, .. } if self.plan.from_source[input] => {
                        gain * self.memory.extrapolation.dy[output]
                    }
                    Link::Output { .. } => {
                        let order = self.plan.orders[input];
                        self.state.values.history.derivatives(order, input)[index]
                    }
                    Link::Signal(signal) => self.memory.algebra.signals[signal],
                    Link::Fixed(_) => 0.0,
                };
            }
            if closes {
                self.close_derivatives(index, h)?;
            }
            if self.settings.correction == Correction::Consistent && k < order {
                self.pass_derivatives(k)?;
            }
        }
        Ok(())
    }

    /// Inputs that were set again continue with these derivatives, which the next reported ones belong to.
    fn pass_derivatives(&mut self, k: u32) -> Result<(), Error> {
        for component in 0..self.components.len() {
            let du = std::mem::take(&mut self.state.values.du);
            let one = self.place(component);
            let result = match one.orders >= k {
                true => one
                    .component
                    .set_input_derivatives(k, &du[k as usize - 1][one.inputs.clone()]),
                false => Ok(()),
            };
            self.state.values.du = du;
            of!(self, component, result);
        }
        Ok(())
    }

    /// Whether the derivatives of inputs are solved for each other: always with a correction, and at the start without
    /// one, too, where no earlier step has made them belong to each other nearly.
    fn closes_derivatives(&mut self, h: f64) -> Result<bool, Error> {
        if !self.plan.all_from_sources {
            return Ok(false);
        }
        if h > 0.0 {
            return Ok(self.settings.correction != Correction::None);
        }
        let components = std::mem::take(&mut self.plan.with_feed_through);
        let all_have_derivatives = components
            .iter()
            .all(|at| self.place(*at).can.directional_derivatives);
        let result = match all_have_derivatives {
            true => self.try_feed_through(&components),
            false => Ok(false),
        };
        self.plan.with_feed_through = components;
        result
    }

    /// Derivatives that components report belong to the slopes that inputs have had; now they shall belong to each other
    /// (Andersson 2016, algorithm 6, lines 14 and 16).
    fn close_derivatives(&mut self, index: usize, h: f64) -> Result<(), Error> {
        // At the start, and after the consistent correction, inputs were set again, without slopes.
        let went_on = self.settings.correction == Correction::Linear && h > 0.0;
        let mut before = std::mem::take(&mut self.memory.extrapolation.end);
        for (input, before) in before.iter_mut().enumerate() {
            let curves = &self.memory.extrapolation.used;
            *before = match (went_on, index) {
                (true, 0) => curves.slope(input, h),
                (true, _) => curves.second[input],
                (false, _) => 0.0,
            };
        }
        let mut dy = std::mem::take(&mut self.memory.extrapolation.dy);
        let closed = self.close(&before, &mut dy, Some(index));
        self.memory.extrapolation.dy = dy;
        self.memory.extrapolation.end = before;
        closed
    }
}
