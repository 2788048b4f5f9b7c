//! Linear correction: makes outputs and inputs at a communication point agree to first order, by the feed-through that
//! components report (Andersson 2016, algorithms 5 to 7).

use super::Master;
use super::plan::{Linear, Unknowns};
use crate::coupling::Link;
use crate::error::Error;
use crate::plan::Evaluation;
use crate::solve::Square;

impl Master {
    /// Corrects outputs and inputs at the end of a step.
    pub(super) fn correct(&mut self) -> Result<(), Error> {
        let components = std::mem::take(&mut self.plan.with_feed_through);
        let asked = self.ask_feed_through(&components);
        self.plan.with_feed_through = components;
        asked?;
        self.signals
            .evaluate(self.state.t, 0, &mut self.memory.algebra.signals);
        let end = std::mem::take(&mut self.state.values.end);
        let mut y = std::mem::take(&mut self.state.values.y);
        let closed = self.close(&end, &mut y, None);
        self.state.values.y = y;
        self.state.values.end = end;
        closed
    }

    /// From outputs `y` that belong to inputs `before` to outputs and inputs that belong to each other, block by block:
    /// `u = L (y + D (u - before))`. The inputs are those of the system or, with an index, their derivatives.
    pub(super) fn close(&mut self, before: &[f64], y: &mut [f64], index: Option<usize>) -> Result<(), Error> {
        let blocks = std::mem::take(&mut self.plan.blocks);
        let mut closed = Ok(());
        for block in &blocks {
            closed = match block {
                Evaluation::Of(reading) if !reading.feeds_through() => Ok(()),
                Evaluation::Of(reading) => {
                    self.link(reading.component, y, index);
                    self.follow(&reading.outputs, before, y, index);
                    Ok(())
                }
                Evaluation::Loop(number) => {
                    let mut unknowns = std::mem::take(&mut self.plan.loops[*number]);
                    let closed = self.close_loop(&mut unknowns, before, y, index);
                    self.plan.loops[*number] = unknowns;
                    closed
                }
            };
            if closed.is_err() {
                break;
            }
        }
        self.plan.blocks = blocks;
        closed?;
        for component in 0..self.components.len() {
            self.link(component, y, index);
        }
        Ok(())
    }

    /// The inputs of a component that belong to outputs.
    fn link(&mut self, component: usize, y: &[f64], index: Option<usize>) {
        for input in self.coupling.inputs_of(component) {
            let value = match (self.coupling.inputs[input].link, index) {
                (Link::Output { output, gain, offset }, None) => gain * y[output] + offset,
                (Link::Output { output, gain, .. }, Some(_)) => gain * y[output],
                (Link::Signal(signal), _) => self.memory.algebra.signals[signal],
                (Link::Fixed(value), None) => value,
                (Link::Fixed(_), Some(_)) => 0.0,
            };
            self.inputs_mut(index)[input] = value;
        }
    }

    fn inputs_mut(&mut self, index: Option<usize>) -> &mut [f64] {
        match index {
            None => &mut self.state.values.u,
            Some(index) => &mut self.state.values.du[index],
        }
    }

    /// Outputs follow their inputs.
    fn follow(&mut self, outputs: &[usize], before: &[f64], y: &mut [f64], index: Option<usize>) {
        for &output in outputs {
            let component = self.coupling.structure().outputs[output];
            for input in self.coupling.inputs_of(component) {
                let change = self.inputs_mut(index)[input] - before[input];
                y[output] += self.place(component).partial(output, input) * change;
            }
        }
    }

    fn close_loop(
        &mut self,
        unknowns: &mut Unknowns,
        before: &[f64],
        y: &mut [f64],
        index: Option<usize>,
    ) -> Result<(), Error> {
        for &component in &unknowns.components {
            self.link(component, y, index);
        }
        // What the inputs from outside the loop do to the outputs of the loop.
        for &input in &unknowns.inputs {
            self.inputs_mut(index)[input] = before[input];
        }
        self.follow(&unknowns.outputs, before, y, index);
        let n = unknowns.inputs.len();
        let mut correction = std::mem::take(&mut unknowns.correction);
        let Linear {
            matrix,
            factors,
            change,
        } = &mut correction;
        if matrix.len() != n {
            *matrix = Square::zeros(n);
        }
        for row in 0..n {
            for column in 0..n {
                matrix[(row, column)] = -self.gain(unknowns.inputs[row], unknowns.inputs[column]);
            }
            matrix[(row, row)] += 1.0;
            let input = unknowns.inputs[row];
            if let Link::Output { output, gain, offset } = self.coupling.inputs[input].link {
                let offset = if index.is_none() { offset } else { 0.0 };
                change[row] = gain * y[output] + offset - before[input];
            }
        }
        if !factors.factorize(matrix) {
            return Err(Error::Loop {
                variables: self.loop_names(&unknowns.outputs, &unknowns.inputs),
                time: self.state.t,
                iterations: 1,
                residual: f64::INFINITY,
                worst: self.coupling.inputs[unknowns.inputs[0]].name.clone(),
                iterates: Vec::new(),
                advice: "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections",
            });
        }
        factors.solve(change);
        for &output in &unknowns.outputs {
            let component = self.coupling.structure().outputs[output];
            for (&input, change) in unknowns.inputs.iter().zip(&*change) {
                if self.coupling.structure().inputs[input] == component {
                    y[output] += self.place(component).partial(output, input) * change;
                }
            }
        }
        unknowns.correction = correction;
        Ok(())
    }
}
