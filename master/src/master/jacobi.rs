//! All components at once, with inputs that are extrapolated, and what can be done about feed-through afterwards.

use nalgebra::DMatrix;

use super::Master;
use super::step::Ended;
use crate::coupling::Link;
use crate::error::Error;
use crate::slave::{Capabilities, Outcome};
use crate::solve::solve;

impl Master {
    /// Andersson 2016, algorithm 3.
    pub(super) fn jacobi(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let mut ended = Ended::Done;
        for component in 0..self.slaves.len() {
            let outcome = self.advance(component, h, final_)?;
            ended = self.ended(outcome, ended);
            if outcome != Outcome::Done && !self.goes_back() {
                break;
            }
        }
        if ended == Ended::Done {
            self.t += h;
        }
        Ok(ended)
    }

    /// One step of Newton's method from the outputs, which belong to the inputs at the end of their curves, to those that
    /// belong to each other (Andersson 2016, algorithms 5 and 6).
    pub(super) fn correct(&mut self) -> Result<DMatrix<f64>, Error> {
        let all: Vec<usize> = (0..self.slaves.len()).collect();
        let d = self.feed_through(&all)?;
        self.signals.evaluate(self.t, 0, &mut self.scratch.signals);
        let inputs = self.values.u.len();
        // In terms of the inputs: u = L (y + D (u - u_end)) + signals.
        let matrix = DMatrix::from_fn(inputs, inputs, |row, column| {
            let unit = if row == column { 1.0 } else { 0.0 };
            match self.coupling.inputs[row].link {
                Link::Output { output, gain, .. } => unit - gain * d(self, output, column),
                Link::Signal(_) | Link::Fixed(_) => unit,
            }
        });
        let mut wanted = vec![0.0; inputs];
        self.coupling
            .evaluate(0..inputs, &self.values.y, &self.scratch.signals, &mut wanted);
        let residual: Vec<f64> = wanted
            .iter()
            .zip(&self.values.end)
            .map(|(wanted, end)| wanted - end)
            .collect();
        let Some(change) = solve(&matrix, &residual) else {
            return Err(self.singular());
        };
        for (input, u) in self.values.u.iter_mut().enumerate() {
            *u = self.values.end[input] + change[input];
        }
        for output in 0..self.values.y.len() {
            let component = self.coupling.structure().outputs[output];
            for input in self.coupling.inputs_of(component) {
                self.values.y[output] += d(self, output, input) * change[input];
            }
        }
        Ok(matrix)
    }

    /// The first derivatives of the inputs that belong to each other, where components tell those of their outputs
    /// (algorithm 6, lines 14 and 16); by differences they do already.
    pub(super) fn correct_derivatives(&mut self, h: f64, matrix: &DMatrix<f64>) -> Result<(), Error> {
        let told = |can: &Capabilities| can.output_derivatives >= self.settings.extrapolation;
        if self.settings.extrapolation == 0
            || self.settings.differences
            || !self.capabilities.iter().all(told)
        {
            return Ok(());
        }
        let [_, first, second] = &self.scratch.curve;
        let end = |input: usize| first[input] + h * second[input];
        let residual: Vec<f64> = (0..first.len())
            .map(|input| self.values.du[0][input] - end(input))
            .collect();
        let Some(change) = solve(matrix, &residual) else {
            return Err(self.singular());
        };
        for input in 0..first.len() {
            self.values.du[0][input] = end(input) + change[input];
        }
        Ok(())
    }

    fn singular(&self) -> Error {
        let order = self.coupling.structure().order();
        let variables = order
            .loops()
            .next()
            .map(|(outputs, inputs)| self.loop_names(outputs, inputs));
        Error::Loop {
            variables: variables.unwrap_or_default(),
            time: self.t,
            iterations: 1,
            residual: f64::INFINITY,
            worst: String::new(),
            iterates: Vec::new(),
            advice: "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections",
        }
    }
}
