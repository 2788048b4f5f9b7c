//! Exact Jacobians of a model for the stiff integrator, from the model over dual numbers.

use super::Environment;
use super::plant::Plant;
use crate::ModelError;
use crate::jacobian::Jacobian;
use crate::model::Model;
use crate::solver::{ImplicitSystem, Pattern, System};
use crate::tangent::Unknowns;

/// The pattern of a Jacobian with `m` stabilized inputs as further states: everything may depend on them, and they on
/// everything.
pub(super) fn with_stabilized_inputs(own: &Pattern, m: usize) -> Pattern {
    let n = own.columns();
    let rows = (n..n + m).flat_map(|i| (0..n).map(move |j| (i, j)));
    let columns = (n..n + m).flat_map(|j| (0..n + m).map(move |i| (i, j)));
    Pattern::new(n + m, n + m, own.iter().chain(rows).chain(columns))
}

/// Where the values of a column begin in that pattern; the entries of the stabilized inputs come last.
fn start(own: &Pattern, j: usize, m: usize) -> usize {
    let n = own.columns();
    match j < n {
        true => own.starts()[j] + j * m,
        false => own.entries() + n * m + (j - n) * (n + m),
    }
}

impl<M: Model, E: Environment<M>> ImplicitSystem for Plant<'_, M, E> {
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        self.place(t, x);
        let (n, surroundings) = (M::COUNTS.states, self.surroundings);
        let Some(coloring) = &surroundings.facts.coloring else {
            return Err(ModelError::new("the pattern of the Jacobian is not known"));
        };
        let m = surroundings.stabilized.len();
        let key = (surroundings.stamp, self.evaluator.revision());
        let solved = self.evaluator.solved()?;
        let model = solved.0;
        let exact = self
            .copies
            .jacobian(key, || Jacobian::new(model, coloring.clone()));
        exact.load_solved(solved);
        exact.evaluate(t, x)?;
        if m == 0 {
            exact.entries(|entry, value| values[entry] = value);
            return Ok(());
        }
        let pattern = coloring.pattern();
        let mut columns = pattern.iter().map(|(_, column)| column);
        exact.entries(|entry, value| values[entry + columns.next().unwrap_or(0) * m] = value);
        let tangent = self.copies.narrow(model, key);
        for (j, slot) in surroundings.stabilized.iter().enumerate() {
            tangent.load_solved(solved, t);
            tangent.seed_real(*slot, 0, 1.0);
            tangent.evaluate(Unknowns::DERIVATIVES)?;
            let column = &mut values[start(pattern, n + j, m)..][..n];
            for (value, derivative) in column.iter_mut().zip(tangent.derivatives()) {
                *value = derivative.lanes[0];
            }
        }
        self.stabilized_rows(t, x, |i, j, value| {
            values[start(pattern, j + 1, m) - m + i] = value;
        })
    }

    fn second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), ModelError> {
        self.place(t, x);
        let (n, surroundings) = (M::COUNTS.states, self.surroundings);
        let mut velocities = Vec::new();
        if E::IS_PRESENT {
            let put = &mut |slot, velocity| velocities.push((slot, velocity));
            self.copies.environment.velocities(t, put);
        }
        let key = (surroundings.stamp, self.evaluator.revision());
        let solved = self.evaluator.solved()?;
        let tangent = self.copies.narrow(solved.0, key);
        tangent.load_solved(solved, t);
        tangent.seed_time(0, 1.0);
        tangent.seed_states(0, &dx[..n]);
        for (slot, velocity) in surroundings.inputs.velocities(t).chain(velocities) {
            tangent.seed_real(slot, 0, velocity);
        }
        for (slot, velocity) in surroundings.stabilized.iter().zip(&dx[n..]) {
            tangent.seed_real(*slot, 0, *velocity);
        }
        tangent.evaluate(Unknowns::DERIVATIVES)?;
        for (ddx, derivative) in ddx.iter_mut().zip(tangent.derivatives()) {
            *ddx = derivative.lanes[0];
        }
        self.second_derivatives_of_inputs(t, x, dx, ddx)
    }
}

impl<M: Model, E: Environment<M>> Plant<'_, M, E> {
    /// The size of a state of the integration, for differences.
    fn size(&self, at: usize, value: f64) -> f64 {
        let surroundings = self.surroundings;
        let nominal = match at.checked_sub(M::COUNTS.states) {
            None => surroundings.facts.nominals[at].abs(),
            Some(input) => surroundings.facts.input_nominal(surroundings.stabilized[input]),
        };
        let size = value.abs().max(nominal);
        if size > 0.0 { size } else { 1.0 }
    }

    /// The second derivatives of the stabilized inputs: how what drives them changes along the solution, by a difference over
    /// a time in which no state moves by more than a small part of its size.
    fn second_derivatives_of_inputs(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), ModelError> {
        let n = M::COUNTS.states;
        if x.len() == n {
            return Ok(());
        }
        let times = x.iter().zip(dx).enumerate();
        let times = times.map(|(at, (x, dx))| self.size(at, *x) / dx.abs());
        let time = times
            .fold(1.0, f64::min)
            .max(16.0 * t.abs() * f64::EPSILON.sqrt());
        let after = t + f64::EPSILON.sqrt() * time;
        let step = after - t;
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + step * dx).collect();
        let mut slopes = vec![0.0; x.len()];
        self.rhs(after, &moved, &mut slopes)?;
        for (at, ddx) in ddx.iter_mut().enumerate().skip(n) {
            *ddx = (slopes[at] - dx[at]) / step;
        }
        Ok(())
    }

    /// The rows of the stabilized inputs, by differences: what a master gives is affine (Viel 2014, equation 26), so they
    /// are exact but for rounding.
    fn stabilized_rows(
        &mut self,
        t: f64,
        x: &[f64],
        mut put: impl FnMut(usize, usize, f64),
    ) -> Result<(), ModelError> {
        let n = M::COUNTS.states;
        let mut x = x.to_vec();
        let (mut dx0, mut dx1) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        self.rhs(t, &x, &mut dx0)?;
        for j in 0..x.len() {
            let kept = x[j];
            x[j] += f64::EPSILON.sqrt() * self.size(j, kept);
            self.rhs(t, &x, &mut dx1)?;
            for i in n..x.len() {
                put(i - n, j, (dx1[i] - dx0[i]) / (x[j] - kept));
            }
            x[j] = kept;
        }
        Ok(())
    }
}
