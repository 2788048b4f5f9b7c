//! Newton's method over whole steps: the inputs of a loop of components at the end of a step are those that belong to the
//! outputs that they lead to.

use nalgebra::{DMatrix, DVector};

use super::Master;
use super::gauss_seidel::BEGINNING;
use super::step::Ended;
use crate::coupling::Link;
use crate::error::Error;
use crate::solve::{broyden, solve};

impl Master {
    pub(super) fn newton(&mut self, h: f64) -> Result<Ended, Error> {
        let sequence = std::mem::take(&mut self.scratch.sequence);
        let mut outcome = Ok(Ended::Done);
        for group in &sequence {
            outcome = match group.len() {
                1 => self.once(group[0], h),
                _ => self.solve_step(group, h),
            };
            if !matches!(outcome, Ok(Ended::Done)) {
                break;
            }
        }
        self.scratch.sequence = sequence;
        if let Ok(Ended::Done) = outcome {
            self.t += h;
        }
        outcome
    }

    fn once(&mut self, component: usize, h: f64) -> Result<Ended, Error> {
        let outcome = self.advance(component, h, false)?;
        self.aim(component, h);
        Ok(self.ended(outcome, Ended::Done))
    }

    /// The inputs between the components of a group.
    fn inner_inputs(&self, group: &[usize]) -> Vec<usize> {
        let structure = self.coupling.structure();
        let inner = |&input: &usize| match structure.sources[input] {
            Some(source) => {
                group.contains(&structure.inputs[input]) && group.contains(&structure.outputs[source])
            }
            None => false,
        };
        (0..self.values.u.len()).filter(inner).collect()
    }

    fn solve_step(&mut self, group: &[usize], h: f64) -> Result<Ended, Error> {
        let inputs = self.inner_inputs(group);
        let n = inputs.len();
        self.save_some(group, BEGINNING)?;
        // Begin where the inputs would be extrapolated to.
        let [start, first, second] = &self.scratch.curve;
        let mut x = DVector::from_iterator(
            n,
            inputs
                .iter()
                .map(|&input| start[input] + h * (first[input] + 0.5 * h * second[input])),
        );
        let mut fresh = true;
        let mut residual = match self.step_residual(group, &inputs, h, &x, &mut fresh)? {
            Ok(residual) => residual,
            Err(ended) => return Ok(ended),
        };
        let mut matrix: Option<DMatrix<f64>> = None;
        for _ in 0..self.settings.iterations {
            let worst = self.worst(&inputs, &residual);
            if worst.0 <= 1.0 {
                return Ok(Ended::Done);
            }
            self.statistics.iterations += 1;
            if matrix.is_none() {
                let mut columns = DMatrix::zeros(n, n);
                for column in 0..n {
                    let mut moved = x.clone();
                    let by =
                        1e-6 * (x[column].abs() + self.tolerated(inputs[column]) / self.settings.convergence);
                    moved[column] += by;
                    match self.step_residual(group, &inputs, h, &moved, &mut fresh)? {
                        Ok(other) => columns.set_column(column, &((other - &residual) / by)),
                        Err(ended) => return Ok(ended),
                    }
                }
                matrix = Some(columns);
            }
            let Some(current) = &mut matrix else { break };
            let Some(mut dx) = solve(current, (-&residual).as_slice()) else {
                break;
            };
            let next = loop {
                let next = match self.step_residual(group, &inputs, h, &(&x + &dx), &mut fresh)? {
                    Ok(residual) => residual,
                    Err(ended) => return Ok(ended),
                };
                if self.worst(&inputs, &next).0 < worst.0 || dx.norm() < 1e-12 * (1.0 + x.norm()) {
                    break next;
                }
                dx *= 0.5;
            };
            broyden(current, &dx, &(&next - &residual));
            x += dx;
            residual = next;
        }
        let worst = self.worst(&inputs, &residual);
        Err(Error::Step {
            algorithm: "newton",
            time: self.t,
            iterations: self.settings.iterations,
            worst: self.coupling.inputs[inputs[worst.1]].name.clone(),
            change: residual[worst.1].abs(),
            advice: "Take a smaller step, or check whether the coupled system has a solution here",
        })
    }

    fn worst(&self, inputs: &[usize], residual: &DVector<f64>) -> (f64, usize) {
        let scaled = |(k, r): (usize, &f64)| (r.abs() / self.tolerated(inputs[k]), k);
        let all = residual.iter().enumerate().map(scaled);
        all.fold((0.0, 0), |worst, one| {
            if one.0 > worst.0 || one.0.is_nan() {
                one
            } else {
                worst
            }
        })
    }

    /// All components of the group make the step with these inputs; what the inputs should be minus what they are.
    fn step_residual(
        &mut self,
        group: &[usize],
        inputs: &[usize],
        h: f64,
        x: &DVector<f64>,
        fresh: &mut bool,
    ) -> Result<Result<DVector<f64>, Ended>, Error> {
        if !std::mem::replace(fresh, false) {
            self.restore_some(group, BEGINNING)?;
        }
        for (&input, x) in inputs.iter().zip(x) {
            self.aim_input(input, h, *x);
        }
        let mut ended = Ended::Done;
        for &component in group {
            let outcome = self.advance(component, h, false)?;
            ended = self.ended(outcome, ended);
        }
        if ended != Ended::Done {
            return Ok(Err(ended));
        }
        let residual = inputs
            .iter()
            .zip(x)
            .map(|(&input, x)| match self.coupling.inputs[input].link {
                Link::Output { output, gain, offset } => gain * self.values.y[output] + offset - x,
                Link::Signal(_) | Link::Fixed(_) => 0.0,
            });
        Ok(Ok(DVector::from_iterator(inputs.len(), residual)))
    }
}
