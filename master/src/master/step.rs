//! What all algorithms do: inputs in, one component a step further, outputs out; and the way back.

use super::{Master, of};
use crate::coupling::Link;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};
use crate::slave::Outcome;

/// How a step of all components ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ended {
    /// At its end.
    Done,
    /// A component went no further than this.
    Early(f64),
    /// A component wants the simulation to end.
    Terminated,
}

impl Master {
    /// One communication step of all components, by the algorithm that was chosen.
    pub(super) fn step(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.begin(h);
        let ended = match self.settings.algorithm {
            Algorithm::Jacobi => self.jacobi(h, final_)?,
            Algorithm::GaussSeidel => self.gauss_seidel(h, final_)?,
            Algorithm::IteratedGaussSeidel => self.iterated_gauss_seidel(h)?,
            Algorithm::Newton => self.newton(h)?,
        };
        if ended == Ended::Done {
            self.arrive(h)?;
        }
        Ok(ended)
    }

    /// The curves that all inputs follow in the step.
    fn begin(&mut self, h: f64) {
        let [start, first, second] = &mut self.scratch.curve;
        start.copy_from_slice(&self.values.u);
        first.copy_from_slice(&self.values.du[0]);
        second.copy_from_slice(&self.values.du[1]);
        if self.settings.smoothing && self.values.smooth {
            // Andersson 2016, equation 6.71 d and e: from where the inputs are to where they were bound for.
            for (input, start) in start.iter_mut().enumerate() {
                let target = *start + h * first[input];
                *start = self.values.end[input];
                first[input] = (target - *start) / h;
            }
        }
    }

    /// All components are at the end of the step: the inputs that belong to their outputs.
    fn arrive(&mut self, h: f64) -> Result<(), Error> {
        let [start, first, second] = &self.scratch.curve;
        for (input, end) in self.values.end.iter_mut().enumerate() {
            *end = start[input] + h * (first[input] + 0.5 * h * second[input]);
        }
        self.values.smooth = true;
        let mut matrix = None;
        match self.settings.correction {
            Correction::None => self.take_inputs(),
            Correction::Linear => matrix = Some(self.correct()?),
            Correction::Consistent => self.solve_algebra()?,
        }
        self.values.history.push(self.t, &self.values.u);
        self.next_derivatives()?;
        match matrix {
            Some(matrix) => self.correct_derivatives(h, &matrix),
            None => Ok(()),
        }
    }

    /// Makes one component's step, and reads its outputs.
    pub(super) fn advance(&mut self, component: usize, h: f64, final_: bool) -> Result<Outcome, Error> {
        let inputs = self.coupling.inputs_of(component);
        let slave = &mut self.slaves[component];
        let [start, derivatives @ ..] = &self.scratch.curve;
        of!(self, component, slave.set_inputs(&start[inputs.clone()]));
        let orders = self
            .settings
            .extrapolation
            .min(self.capabilities[component].input_derivatives);
        for (order, derivatives) in (1..=orders).zip(derivatives) {
            of!(
                self,
                component,
                slave.set_input_derivatives(order, &derivatives[inputs.clone()])
            );
        }
        let outcome = of!(self, component, slave.step(self.t, h, final_));
        self.statistics.components[component].steps += 1;
        if outcome == Outcome::Done {
            let y = &mut self.values.y[self.coupling.outputs_of(component)];
            of!(self, component, slave.outputs(y));
            self.statistics.components[component].evaluations += 1;
        }
        Ok(outcome)
    }

    /// What a component's outcome means for the step of all.
    pub(super) fn ended(&self, outcome: Outcome, before: Ended) -> Ended {
        match (outcome, before) {
            (Outcome::Done, before) => before,
            (Outcome::Terminated { .. }, _) | (_, Ended::Terminated) => Ended::Terminated,
            (Outcome::Discarded { reached }, Ended::Early(time)) => {
                Ended::Early(reached.unwrap_or(self.t).min(time))
            }
            (Outcome::Discarded { reached }, Ended::Done) => Ended::Early(reached.unwrap_or(self.t)),
        }
    }

    /// The derivatives of the inputs at the present time, for the step to come.
    pub(super) fn next_derivatives(&mut self) -> Result<(), Error> {
        let order = self.settings.extrapolation;
        if order == 0 {
            return Ok(());
        }
        for (index, k) in (1..=order).enumerate() {
            self.signals
                .evaluate(self.t, k as usize, &mut self.scratch.signals);
            if !self.settings.differences {
                for component in 0..self.slaves.len() {
                    let outputs = self.coupling.outputs_of(component);
                    if self.capabilities[component].output_derivatives >= k && !outputs.is_empty() {
                        let dy = &mut self.scratch.dy[outputs];
                        of!(self, component, self.slaves[component].output_derivatives(k, dy));
                    }
                }
            }
            for input in 0..self.values.u.len() {
                self.values.du[index][input] = match self.coupling.inputs[input].link {
                    Link::Output { output, gain, .. } => {
                        let source = self.coupling.structure().outputs[output];
                        match !self.settings.differences
                            && self.capabilities[source].output_derivatives >= order
                        {
                            true => gain * self.scratch.dy[output],
                            false => self.values.history.derivatives(order, input)[index],
                        }
                    }
                    Link::Signal(signal) => self.scratch.signals[signal],
                    Link::Fixed(_) => 0.0,
                };
            }
        }
        Ok(())
    }

    /// Remembers where everything is.
    pub(super) fn save(&mut self, place: usize) -> Result<(), Error> {
        for component in 0..self.slaves.len() {
            of!(self, component, self.slaves[component].save(place));
        }
        if self.scratch.saved.len() <= place {
            self.scratch
                .saved
                .resize(place + 1, (self.t, self.values.clone()));
        }
        let saved = &mut self.scratch.saved[place];
        saved.0 = self.t;
        saved.1.clone_from(&self.values);
        Ok(())
    }

    /// Goes back to what was saved.
    pub(super) fn restore(&mut self, place: usize) -> Result<(), Error> {
        for component in 0..self.slaves.len() {
            of!(self, component, self.slaves[component].restore(place));
        }
        let saved = &self.scratch.saved[place];
        self.t = saved.0;
        self.values.clone_from(&saved.1);
        Ok(())
    }

    /// Goes back with some components only; values between components stay.
    pub(super) fn restore_some(&mut self, components: &[usize], place: usize) -> Result<(), Error> {
        for &component in components {
            of!(self, component, self.slaves[component].restore(place));
        }
        Ok(())
    }

    /// Remembers where some components are.
    pub(super) fn save_some(&mut self, components: &[usize], place: usize) -> Result<(), Error> {
        for &component in components {
            of!(self, component, self.slaves[component].save(place));
        }
        Ok(())
    }
}
