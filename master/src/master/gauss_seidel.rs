//! One component after another, each with the newest outputs of those before it; once, or until nothing changes.

use super::Master;
use super::step::Ended;
use crate::coupling::Link;
use crate::error::Error;
use crate::slave::Outcome;

/// The place of the snapshots at the beginning of a step that is repeated.
pub(super) const BEGINNING: usize = 0;

impl Master {
    pub(super) fn gauss_seidel(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let sequence = std::mem::take(&mut self.scratch.sequence);
        let ended = self.one_after_another(sequence.iter().flatten(), h, final_);
        self.scratch.sequence = sequence;
        let ended = ended?;
        if ended == Ended::Done {
            self.t += h;
        }
        Ok(ended)
    }

    /// Advances some components in this order; inputs from those before go towards the new outputs.
    fn one_after_another<'a>(
        &mut self,
        components: impl Iterator<Item = &'a usize>,
        h: f64,
        final_: bool,
    ) -> Result<Ended, Error> {
        let mut ended = Ended::Done;
        for &component in components {
            let outcome = self.advance(component, h, final_)?;
            ended = self.ended(outcome, ended);
            if outcome != Outcome::Done {
                break;
            }
            self.aim(component, h);
        }
        Ok(ended)
    }

    /// Inputs that a component feeds, which has made its step, go to its new outputs: at once, or along a curve.
    pub(super) fn aim(&mut self, component: usize, h: f64) {
        let outputs = self.coupling.outputs_of(component);
        for input in 0..self.values.u.len() {
            let Link::Output { output, gain, offset } = self.coupling.inputs[input].link else {
                continue;
            };
            if outputs.contains(&output) {
                self.aim_input(input, h, gain * self.values.y[output] + offset);
            }
        }
    }

    /// An input shall be `end` at the end of the step.
    pub(super) fn aim_input(&mut self, input: usize, h: f64, end: f64) {
        let receiver = self.coupling.structure().inputs[input];
        let order = self
            .settings
            .extrapolation
            .min(self.capabilities[receiver].input_derivatives);
        let [start, first, second] = &mut self.scratch.curve;
        if order == 0 {
            start[input] = end;
            return;
        }
        start[input] = self.values.u[input];
        [first[input], second[input]] = self.values.history.towards(order, input, h, end);
    }

    /// Loops of components are repeated until their coupling variables stay the same.
    pub(super) fn iterated_gauss_seidel(&mut self, h: f64) -> Result<Ended, Error> {
        let sequence = std::mem::take(&mut self.scratch.sequence);
        let mut ended = Ended::Done;
        for group in &sequence {
            let repeated = match group.len() {
                1 => self.one_after_another(group.iter(), h, false),
                _ => self.repeat(group, h),
            };
            match repeated {
                Ok(Ended::Done) => {}
                Ok(early) => {
                    ended = early;
                    break;
                }
                Err(error) => {
                    self.scratch.sequence = sequence;
                    return Err(error);
                }
            }
        }
        self.scratch.sequence = sequence;
        if ended == Ended::Done {
            self.t += h;
        }
        Ok(ended)
    }

    fn repeat(&mut self, group: &[usize], h: f64) -> Result<Ended, Error> {
        self.save_some(group, BEGINNING)?;
        let mut last: Vec<f64> = Vec::new();
        let mut worst = (f64::INFINITY, 0);
        for iteration in 1..=self.settings.iterations {
            self.statistics.iterations += 1;
            if iteration > 1 {
                self.restore_some(group, BEGINNING)?;
            }
            let ended = self.one_after_another(group.iter(), h, false)?;
            if ended != Ended::Done {
                return Ok(ended);
            }
            let outputs = group
                .iter()
                .flat_map(|&component| self.coupling.outputs_of(component));
            let y: Vec<f64> = outputs.clone().map(|output| self.values.y[output]).collect();
            if !last.is_empty() {
                worst = (0.0, 0);
                for (k, output) in outputs.enumerate() {
                    let nominal = self.coupling.outputs[output].nominal;
                    let change =
                        (y[k] - last[k]).abs() / (self.settings.convergence * (nominal + y[k].abs()));
                    if change > worst.0 || change.is_nan() {
                        worst = (change, output);
                    }
                }
                if worst.0 <= 1.0 {
                    return Ok(Ended::Done);
                }
                if worst.0.is_nan() {
                    break;
                }
            }
            last = y;
        }
        let nominal = self.coupling.outputs[worst.1].nominal + self.values.y[worst.1].abs();
        Err(Error::Step {
            algorithm: "iterated-gauss-seidel",
            time: self.t,
            iterations: self.settings.iterations,
            worst: self.coupling.outputs[worst.1].name.clone(),
            change: worst.0 * self.settings.convergence * nominal,
            advice: "The loop has a gain above 1 in its order: take newton, or a smaller step",
        })
    }
}
