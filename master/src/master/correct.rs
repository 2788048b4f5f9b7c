//! Linear correction: outputs that belong to the inputs at the end of their curves become those that belong to each
//! other, with the feed-through that components tell (Andersson 2016, algorithms 5 to 7).

use super::Master;
use super::plan::{Evaluation, Knot, Linear};
use crate::coupling::Link;
use crate::error::Error;
use crate::solve::Square;

impl Master {
    /// Corrects outputs and inputs at the end of a step.
    pub(super) fn correct(&mut self) -> Result<(), Error> {
        let components = std::mem::take(&mut self.scratch.with_feed_through);
        let asked = self.ask_feed_through(&components);
        self.scratch.with_feed_through = components;
        asked?;
        self.signals.evaluate(self.t, 0, &mut self.scratch.signals);
        let end = std::mem::take(&mut self.values.end);
        let mut y = std::mem::take(&mut self.values.y);
        let closed = self.close(&end, &mut y, None);
        self.values.y = y;
        self.values.end = end;
        closed
    }

    /// From outputs `y` that belong to inputs `before` to outputs and inputs that belong to each other, block by block:
    /// `u = L (y + D (u - before))`. The inputs are those of the system or, with an index, their derivatives.
    pub(super) fn close(&mut self, before: &[f64], y: &mut [f64], index: Option<usize>) -> Result<(), Error> {
        let blocks = std::mem::take(&mut self.plan.blocks);
        let mut closed = Ok(());
        for block in &blocks {
            closed = match block {
                Evaluation::Of { feed_through, .. } if !feed_through => Ok(()),
                Evaluation::Of {
                    component, outputs, ..
                } => {
                    self.link(*component, y, index);
                    self.follow(outputs, before, y, index);
                    Ok(())
                }
                Evaluation::Loop(number) => {
                    let mut knot = std::mem::take(&mut self.plan.loops[*number]);
                    let closed = self.close_loop(&mut knot, before, y, index);
                    self.plan.loops[*number] = knot;
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
                (Link::Signal(signal), _) => self.scratch.signals[signal],
                (Link::Fixed(value), None) => value,
                (Link::Fixed(_), Some(_)) => 0.0,
            };
            self.inputs_mut(index)[input] = value;
        }
    }

    fn inputs_mut(&mut self, index: Option<usize>) -> &mut [f64] {
        match index {
            None => &mut self.values.u,
            Some(index) => &mut self.values.du[index],
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
        knot: &mut Knot,
        before: &[f64],
        y: &mut [f64],
        index: Option<usize>,
    ) -> Result<(), Error> {
        for &component in &knot.components {
            self.link(component, y, index);
        }
        // What the inputs from outside the loop do to the outputs of the loop.
        for &input in &knot.inputs {
            self.inputs_mut(index)[input] = before[input];
        }
        self.follow(&knot.outputs, before, y, index);
        let n = knot.inputs.len();
        let mut correction = std::mem::take(&mut knot.correction);
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
                matrix[(row, column)] = -self.gain(knot.inputs[row], knot.inputs[column]);
            }
            matrix[(row, row)] += 1.0;
            let input = knot.inputs[row];
            if let Link::Output { output, gain, offset } = self.coupling.inputs[input].link {
                let offset = if index.is_none() { offset } else { 0.0 };
                change[row] = gain * y[output] + offset - before[input];
            }
        }
        if !factors.factorize(matrix) {
            return Err(Error::Loop {
                variables: self.loop_names(&knot.outputs, &knot.inputs),
                time: self.t,
                iterations: 1,
                residual: f64::INFINITY,
                worst: self.coupling.inputs[knot.inputs[0]].name.clone(),
                iterates: Vec::new(),
                advice: "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections",
            });
        }
        factors.solve(change);
        for &output in &knot.outputs {
            let component = self.coupling.structure().outputs[output];
            for (&input, change) in knot.inputs.iter().zip(&*change) {
                if self.coupling.structure().inputs[input] == component {
                    y[output] += self.place(component).partial(output, input) * change;
                }
            }
        }
        knot.correction = correction;
        Ok(())
    }
}
