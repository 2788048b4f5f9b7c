//! Outputs and inputs that determine each other at one time: evaluated in their order, loops by Newton's method.

use super::plan::Unknowns;
use super::unknowns::differences;
use super::{Master, of};
use crate::coupling::Link;
use crate::error::Error;
use crate::plan::Evaluation;
use crate::solve::{Equations, Newton, Sparse, Unsolved, Why};

/// The memory of the algebra.
#[derive(Debug, Default)]
pub(super) struct Algebra {
    y: Vec<f64>,
    /// Outputs whose values belong to the present time.
    pub known: Vec<bool>,
    /// The values of signals, or their derivatives.
    pub signals: Vec<f64>,
}

impl Algebra {
    pub fn new(outputs: usize, signals: usize) -> Algebra {
        Algebra {
            y: vec![0.0; outputs],
            known: vec![false; outputs],
            signals: vec![0.0; signals],
        }
    }
}

impl Master {
    /// Evaluates outputs and inputs for each other at the present time, block by block. Every input has then the value
    /// that belongs to the outputs. Outputs that depend on no input are there already, unless nothing is.
    pub(super) fn solve_algebra(&mut self, nothing_is_known: bool) -> Result<(), Error> {
        self.signals
            .evaluate(self.state.t, 0, &mut self.memory.algebra.signals);
        let blocks = std::mem::take(&mut self.plan.blocks);
        let solved = self.solve_blocks(&blocks, nothing_is_known);
        self.plan.blocks = blocks;
        solved?;
        self.take_inputs();
        Ok(())
    }

    fn solve_blocks(&mut self, blocks: &[Evaluation], nothing_is_known: bool) -> Result<(), Error> {
        self.memory.algebra.known.fill(!nothing_is_known);
        if !nothing_is_known {
            for block in blocks {
                match block {
                    Evaluation::Of(reading) if reading.feeds_through() => {
                        reading
                            .outputs
                            .iter()
                            .for_each(|&output| self.memory.algebra.known[output] = false);
                    }
                    Evaluation::Of(_) => {}
                    Evaluation::Loop(number) => {
                        let outputs = &self.plan.loops[*number].outputs;
                        outputs
                            .iter()
                            .for_each(|&output| self.memory.algebra.known[output] = false);
                    }
                }
            }
        }
        for block in blocks {
            match block {
                Evaluation::Of(reading) => {
                    if reading.feeds_through() || nothing_is_known {
                        self.feed(reading.component)?;
                        self.read(reading.component, &reading.outputs)?;
                    }
                }
                Evaluation::Loop(number) => self.solve_loop(*number)?,
            }
        }
        Ok(())
    }

    /// Sets the inputs of a component: those whose sources are known have their values, the others keep what they had.
    pub(super) fn feed(&mut self, component: usize) -> Result<(), Error> {
        let inputs = self.coupling.inputs_of(component);
        for input in inputs.clone() {
            self.state.values.u[input] = match self.coupling.inputs[input].link {
                Link::Output { output, .. } if !self.memory.algebra.known[output] => continue,
                Link::Output { output, gain, offset } => gain * self.state.values.y[output] + offset,
                Link::Signal(signal) => self.memory.algebra.signals[signal],
                Link::Fixed(value) => value,
            };
        }
        self.set_inputs(component)
    }

    pub(super) fn set_inputs(&mut self, component: usize) -> Result<(), Error> {
        let u = std::mem::take(&mut self.state.values.u);
        let one = self.place(component);
        let set = one.component.set_inputs(&u[one.inputs.clone()]);
        self.state.values.u = u;
        of!(self, component, set);
        Ok(())
    }

    /// Reads some outputs of a component, which are then known.
    pub(super) fn read(&mut self, component: usize, outputs: &[usize]) -> Result<(), Error> {
        let mut y = std::mem::take(&mut self.memory.algebra.y);
        let one = self.place(component);
        one.evaluations += 1;
        let read = one.component.outputs(&mut y[one.outputs.clone()]);
        self.memory.algebra.y = y;
        of!(self, component, read);
        for &output in outputs {
            self.state.values.y[output] = self.memory.algebra.y[output];
            self.memory.algebra.known[output] = true;
        }
        Ok(())
    }

    /// Newton's method with exact derivatives where all components of the loop report them, by differences and with
    /// Broyden's updates otherwise.
    pub(super) fn solve_loop(&mut self, number: usize) -> Result<(), Error> {
        let mut unknowns = std::mem::take(&mut self.plan.loops[number]);
        let mut newton = std::mem::take(&mut unknowns.newton);
        let solved = self.solve_algebraic_loop(&unknowns, &mut newton, number);
        unknowns.newton = newton;
        self.plan.loops[number] = unknowns;
        solved
    }

    fn solve_algebraic_loop(
        &mut self,
        unknowns: &Unknowns,
        newton: &mut Newton,
        number: usize,
    ) -> Result<(), Error> {
        let mut exact = true;
        for &component in &unknowns.components {
            self.feed(component)?;
            exact &= self.place(component).can.directional_derivatives;
        }
        for (x, &input) in newton.x.iter_mut().zip(&unknowns.inputs) {
            *x = self.state.values.u[input];
        }
        let most = self.settings.iterations;
        let mut equations = LoopEquations {
            master: self,
            unknowns,
            exact,
        };
        let mut solved = newton.solve(&mut equations, most)?;
        while solved.is_err() && equations.master.loosen() {
            solved = newton.solve(&mut equations, most)?;
        }
        let statistics = &mut self.statistics.loops[number];
        statistics.solved += 1;
        match solved {
            Ok(iterations) => {
                statistics.iterations += iterations as u64;
                Ok(())
            }
            Err(unsolved) => Err(self.unsolved_loop(unknowns, unsolved)),
        }
    }

    fn unsolved_loop(&self, unknowns: &Unknowns, unsolved: Unsolved) -> Error {
        let input = unknowns.inputs.get(unsolved.worst).copied().unwrap_or(0);
        Error::Loop {
            variables: self.loop_names(&unknowns.outputs, &unknowns.inputs),
            time: self.state.t,
            iterations: unsolved.iterations,
            residual: unsolved.residual.abs(),
            worst: self.coupling.inputs[input].name.clone(),
            iterates: unsolved.iterates,
            advice: match unsolved.why {
                Why::Slow | Why::Stuck => {
                    "Give start values near a solution, or change which side of a coupling computes what"
                }
                Why::Singular => {
                    "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections"
                }
                Why::NoNumber => "Its outputs are not numbers: give other start values for its inputs",
            },
        }
    }

    /// Asks components for their feed-through at the present time.
    pub(super) fn ask_feed_through(&mut self, components: &[usize]) -> Result<(), Error> {
        for &component in components {
            let one = self.place(component);
            let asked = one.component.feed_through(&mut one.feed_through);
            of!(self, component, asked);
        }
        Ok(())
    }

    /// The same where there is another way: a component that fails is not asked again, with a note. Returns whether all have
    /// reported theirs. Only one that cannot go on after that (`fmi2Error`) is an error.
    pub(super) fn try_feed_through(&mut self, components: &[usize]) -> Result<bool, Error> {
        for &component in components {
            let one = self.place(component);
            let Err(error) = one.component.feed_through(&mut one.feed_through) else {
                continue;
            };
            one.can.directional_derivatives = false;
            if self.set_inputs(component).is_err() {
                return Err(self.component_error(component, error));
            }
            self.notes.push(format!(
                "{} fails to provide its feed-through at t = {}, and the run goes on without it: {error}",
                self.coupling.components[component], self.state.t
            ));
            return Ok(false);
        }
        Ok(true)
    }

    /// The variables of a loop, from output to input to output.
    pub(super) fn loop_names(&self, outputs: &[usize], inputs: &[usize]) -> Vec<String> {
        let structure = self.coupling.structure();
        let mut names = Vec::new();
        for &output in outputs {
            names.push(self.coupling.outputs[output].name.clone());
            let fed = inputs
                .iter()
                .filter(|&&input| structure.sources[input] == Some(output));
            names.extend(fed.map(|&input| self.coupling.inputs[input].name.clone()));
        }
        names
    }
}

/// The equations of an algebraic loop: each input is what its source gives for all inputs.
struct LoopEquations<'a> {
    master: &'a mut Master,
    unknowns: &'a Unknowns,
    exact: bool,
}

impl Equations for LoopEquations<'_> {
    type Stop = Error;

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Error> {
        for (&input, x) in self.unknowns.inputs.iter().zip(x) {
            self.master.state.values.u[input] = *x;
        }
        for (&component, outputs) in self.unknowns.components.iter().zip(&self.unknowns.outputs_of) {
            self.master.set_inputs(component)?;
            self.master.read(component, outputs)?;
        }
        self.master.residual_of(self.unknowns, x, r);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], r: &[f64], matrix: &mut Sparse) -> Result<(), Error> {
        self.exact = self.exact && self.master.try_feed_through(&self.unknowns.components)?;
        if !self.exact {
            let unknowns = self.unknowns;
            return differences(self, unknowns, x, r, matrix);
        }
        for row in 0..x.len() {
            for (column, entry) in matrix.row_mut(row) {
                *entry = self
                    .master
                    .gain(self.unknowns.inputs[row], self.unknowns.inputs[column]);
            }
            matrix[(row, row)] -= 1.0;
        }
        Ok(())
    }

    fn cost(&self) -> usize {
        self.unknowns.colours.len()
    }

    fn tolerated(&self, equation: usize, x: f64) -> f64 {
        self.master.state.convergence * (self.unknowns.nominals[equation] + x.abs())
    }

    fn exact(&self) -> bool {
        self.exact
    }
}
