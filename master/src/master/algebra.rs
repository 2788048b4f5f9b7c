//! Algebraic loops: outputs and inputs that determine each other at one time.

use nalgebra::DMatrix;

use super::{Master, of};
use crate::coupling::Link;
use crate::error::Error;
use crate::graph::Block;
use crate::solve::{broyden, solve};

impl Master {
    /// Evaluates outputs and inputs for each other at the present time, block by block: what is no loop in its order,
    /// loops by Newton's method. Every input has then the value that belongs to the outputs.
    pub(super) fn solve_algebra(&mut self) -> Result<(), Error> {
        self.signals.evaluate(self.t, 0, &mut self.scratch.signals);
        let order = self.coupling.structure().order();
        // An input has its value once its source has; until then it keeps what it had.
        let mut known = vec![false; self.coupling.outputs.len()];
        for block in &order.blocks {
            match block {
                Block::Evaluation { component, outputs } => {
                    self.feed(*component, &known)?;
                    self.read(*component, outputs)?;
                }
                Block::Loop { outputs, inputs } => self.solve_loop(outputs, inputs, &known)?,
            }
            let (Block::Evaluation { outputs, .. } | Block::Loop { outputs, .. }) = block;
            outputs.iter().for_each(|&output| known[output] = true);
        }
        for component in 0..self.slaves.len() {
            self.feed(component, &known)?;
        }
        Ok(())
    }

    /// Sets the inputs of a component whose sources are known.
    fn feed(&mut self, component: usize, known: &[bool]) -> Result<(), Error> {
        let inputs = self.coupling.inputs_of(component);
        for input in inputs.clone() {
            let value = match self.coupling.inputs[input].link {
                Link::Output { output, .. } if !known[output] => continue,
                Link::Output { output, gain, offset } => gain * self.values.y[output] + offset,
                Link::Signal(signal) => self.scratch.signals[signal],
                Link::Fixed(value) => value,
            };
            self.values.u[input] = value;
        }
        of!(
            self,
            component,
            self.slaves[component].set_inputs(&self.values.u[inputs])
        );
        Ok(())
    }

    /// Reads some outputs of a component.
    fn read(&mut self, component: usize, outputs: &[usize]) -> Result<(), Error> {
        let range = self.coupling.outputs_of(component);
        let y = &mut self.scratch.y[range];
        of!(self, component, self.slaves[component].outputs(y));
        self.statistics.components[component].evaluations += 1;
        for &output in outputs {
            self.values.y[output] = self.scratch.y[output];
        }
        Ok(())
    }

    /// Newton's method with exact derivatives where all components of the loop tell them, Broyden's otherwise; damped
    /// where a full step makes it worse.
    fn solve_loop(&mut self, outputs: &[usize], inputs: &[usize], known: &[bool]) -> Result<(), Error> {
        let structure = self.coupling.structure();
        let mut components: Vec<usize> = outputs.iter().map(|&output| structure.outputs[output]).collect();
        components.sort_unstable();
        components.dedup();
        for &component in &components {
            self.feed(component, known)?;
        }
        let n = inputs.len();
        let exact = components
            .iter()
            .all(|&component| self.capabilities[component].directional_derivatives);
        let mut residual = self.loop_residual(&components, outputs, inputs)?;
        let mut matrix: Option<DMatrix<f64>> = None;
        let worst_of = |master: &Master, residual: &[f64]| {
            let scaled = |(k, r): (usize, &f64)| (r.abs() / master.tolerated(inputs[k]), k);
            let all = residual.iter().enumerate().map(scaled);
            all.fold((0.0, 0), |worst, one| {
                if one.0 > worst.0 || one.0.is_nan() {
                    one
                } else {
                    worst
                }
            })
        };
        let mut worst = worst_of(self, &residual);
        let mut iterates = vec![self.values.u[inputs[worst.1.min(n - 1)]]];
        let mut iterations = 0;
        while worst.0.is_nan() || worst.0 > 1.0 {
            iterations += 1;
            self.statistics.loop_iterations += 1;
            let failed = |master: &Master, advice| Error::Loop {
                variables: master.loop_names(outputs, inputs),
                time: master.t,
                iterations,
                residual: worst.0,
                worst: master.coupling.inputs[inputs[worst.1]].name.clone(),
                iterates: iterates.clone(),
                advice,
            };
            if iterations > self.settings.iterations {
                return Err(failed(
                    self,
                    "Give start values near a solution, or change which side of a coupling computes what",
                ));
            }
            if worst.0.is_nan() {
                return Err(failed(
                    self,
                    "Its outputs are no numbers: give other start values for its inputs",
                ));
            }
            if exact || matrix.is_none() {
                matrix = Some(self.loop_matrix(&components, outputs, inputs, &residual, exact)?);
            }
            let Some(current) = &mut matrix else { break };
            let negative: Vec<f64> = residual.iter().map(|r| -r).collect();
            let Some(step) = solve(current, &negative) else {
                return Err(failed(
                    self,
                    "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections",
                ));
            };
            let before: Vec<f64> = inputs.iter().map(|&input| self.values.u[input]).collect();
            let mut part = 1.0;
            loop {
                for (k, &input) in inputs.iter().enumerate() {
                    self.values.u[input] = before[k] + part * step[k];
                }
                let next = self.loop_residual(&components, outputs, inputs)?;
                let next_worst = worst_of(self, &next);
                if next_worst.0 < worst.0 || part < 1e-3 {
                    let change =
                        nalgebra::DVector::from_iterator(n, next.iter().zip(&residual).map(|(a, b)| a - b));
                    broyden(current, &(step * part), &change);
                    (residual, worst) = (next, next_worst);
                    break;
                }
                part *= 0.5;
            }
            iterates.push(self.values.u[inputs[worst.1]]);
        }
        Ok(())
    }

    /// What counts as no difference of an input.
    pub(super) fn tolerated(&self, input: usize) -> f64 {
        let nominal = match self.coupling.inputs[input].link {
            Link::Output { output, gain, .. } => gain.abs() * self.coupling.outputs[output].nominal,
            Link::Signal(_) | Link::Fixed(_) => 1.0,
        };
        self.settings.convergence * (nominal + self.values.u[input].abs())
    }

    /// Sets the inputs, reads the outputs, and tells what each input should be minus what it is.
    fn loop_residual(
        &mut self,
        components: &[usize],
        outputs: &[usize],
        inputs: &[usize],
    ) -> Result<Vec<f64>, Error> {
        for &component in components {
            let own = self.coupling.inputs_of(component);
            of!(
                self,
                component,
                self.slaves[component].set_inputs(&self.values.u[own])
            );
            let own = self.coupling.outputs_of(component);
            let read: Vec<usize> = outputs
                .iter()
                .copied()
                .filter(|output| own.contains(output))
                .collect();
            self.read(component, &read)?;
        }
        let wanted = |&input: &usize| match self.coupling.inputs[input].link {
            Link::Output { output, gain, offset } => {
                gain * self.values.y[output] + offset - self.values.u[input]
            }
            Link::Signal(_) | Link::Fixed(_) => 0.0,
        };
        Ok(inputs.iter().map(wanted).collect())
    }

    /// How the residual changes with the inputs: `L D - I`.
    fn loop_matrix(
        &mut self,
        components: &[usize],
        outputs: &[usize],
        inputs: &[usize],
        residual: &[f64],
        exact: bool,
    ) -> Result<DMatrix<f64>, Error> {
        let n = inputs.len();
        if exact {
            let d = self.feed_through(components)?;
            return Ok(DMatrix::from_fn(n, n, |row, column| {
                let unit = if row == column { 1.0 } else { 0.0 };
                match self.coupling.inputs[inputs[row]].link {
                    Link::Output { output, gain, .. } => gain * d(self, output, inputs[column]) - unit,
                    Link::Signal(_) | Link::Fixed(_) => -unit,
                }
            }));
        }
        let mut matrix = DMatrix::zeros(n, n);
        for (column, &input) in inputs.iter().enumerate() {
            let kept = self.values.u[input];
            let by = 1e-7 * (kept.abs() + self.tolerated(input) / self.settings.convergence);
            self.values.u[input] = kept + by;
            let moved = self.loop_residual(components, outputs, inputs)?;
            self.values.u[input] = kept;
            for row in 0..n {
                matrix[(row, column)] = (moved[row] - residual[row]) / by;
            }
        }
        self.loop_residual(components, outputs, inputs)?;
        Ok(matrix)
    }

    /// The feed-through of some components, as a function of output and input.
    pub(super) fn feed_through(
        &mut self,
        components: &[usize],
    ) -> Result<impl Fn(&Master, usize, usize) -> f64 + use<>, Error> {
        let mut blocks: Vec<Option<Vec<f64>>> = vec![None; self.slaves.len()];
        for &component in components {
            let (rows, columns) = (
                self.coupling.outputs_of(component).len(),
                self.coupling.inputs_of(component).len(),
            );
            let mut block = vec![0.0; rows * columns];
            of!(self, component, self.slaves[component].feed_through(&mut block));
            blocks[component] = Some(block);
        }
        Ok(move |master: &Master, output: usize, input: usize| {
            let structure = master.coupling.structure();
            let component = structure.outputs[output];
            if structure.inputs[input] != component {
                return 0.0;
            }
            let (own_outputs, own_inputs) = (
                master.coupling.outputs_of(component),
                master.coupling.inputs_of(component),
            );
            match &blocks[component] {
                Some(block) => {
                    block[(output - own_outputs.start) * own_inputs.len() + input - own_inputs.start]
                }
                None => 0.0,
            }
        })
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
