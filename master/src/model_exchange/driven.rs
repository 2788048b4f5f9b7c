//! Continuous inputs as states of the integration, driven by a linear model of the other components (Viel 2014, equations 23 to
//! 26). They come behind the FMU's own states.

use fmu_importer::{Error, InputDerivatives};

use super::SteppedModel;
use super::plant::Plant;
use crate::component::ComponentError;
use crate::component::Curves;

impl Plant<'_> {
    /// The Jacobian of states and driven inputs, where the FMU is at this point. What drives the inputs is affine, so that a
    /// difference of any size is exact but for rounding; it costs no evaluation of the FMU.
    pub(super) fn driven_jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Error> {
        let n = self.facts.states;
        let m = x.len() - n;
        let mut dx = vec![0.0; n];
        let mut own = vec![0.0; self.jacobian.pattern().entries()];
        if n > 0 {
            self.instance.derivatives(&mut dx)?;
            self.jacobian.evaluate(self.instance, x, &mut own)?;
        }
        let (mut du, mut moved_du) = (vec![0.0; m], vec![0.0; m]);
        self.drive(t, &x[n..], &x[..n], &dx, &mut du)?;
        let (mut moved, mut moved_dx) = (x.to_vec(), dx.clone());
        for column in 0..x.len() {
            let step = x[column].abs().max(self.nominals[column]);
            moved[column] = x[column] + step;
            moved_dx.copy_from_slice(&dx);
            let entries = self.jacobian.pattern().range(column);
            for entry in entries.clone() {
                moved_dx[self.jacobian.pattern().row(entry)] += step * own[entry];
            }
            self.drive(t, &moved[n..], &moved[..n], &moved_dx, &mut moved_du)?;
            moved[column] = x[column];
            // Each column has the entries of the driven inputs behind its own ones.
            let (own_entries, driven) =
                values[entries.start + column * m..entries.end + column * m + m].split_at_mut(entries.len());
            own_entries.copy_from_slice(&own[entries]);
            for (value, (moved, du)) in driven.iter_mut().zip(moved_du.iter().zip(&du)) {
                *value = (moved - du) / step;
            }
        }
        Ok(())
    }

    /// The second derivatives of the driven inputs: how what drives them changes along the solution, where states and inputs
    /// have the derivatives `dx` and the states the second derivatives `ddx`.
    pub(super) fn driven_second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &[f64],
        ddu: &mut [f64],
    ) -> Result<(), Error> {
        let n = self.facts.states;
        let sizes = x.iter().zip(self.nominals);
        let times = sizes
            .zip(dx)
            .map(|((x, nominal), dx)| x.abs().max(*nominal) / dx.abs());
        let time = times
            .fold(1.0, f64::min)
            .max(16.0 * t.abs() * f64::EPSILON.sqrt());
        let after = t + f64::EPSILON.sqrt() * time;
        let step = after - t;
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + step * dx).collect();
        let moved_dx: Vec<f64> = dx.iter().zip(ddx).map(|(dx, ddx)| dx + step * ddx).collect();
        self.drive(after, &moved[n..], &moved[..n], &moved_dx, ddu)?;
        for (ddu, du) in ddu.iter_mut().zip(&dx[n..]) {
            *ddu = (*ddu - du) / step;
        }
        Ok(())
    }
}

impl SteppedModel {
    /// Makes the continuous inputs states of the integration.
    pub(super) fn drive(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        let inputs = self.facts.inputs.value_references().len();
        let (states, driven) = (self.facts.states, self.facts.continuous.len());
        self.driver = Some(Curves::new(&self.facts.continuous, inputs, derivatives));
        self.memory.jacobian = self.facts.jacobian(self.instance.fmu(), true)?;
        self.memory.nominals.resize(states + driven, 1.0);
        self.memory.nominals[states..].copy_from_slice(&self.facts.curve_nominals);
        self.x.resize(states + driven, 0.0);
        Ok(())
    }

    /// Puts the driven inputs behind the states in `x`: where they were given before a step, and later where the integration
    /// has led to.
    pub(super) fn gather_driven(&mut self, given: bool) {
        let states = self.facts.states;
        let integrated = self.memory.method.states().get(states..).unwrap_or_default();
        for (at, &input) in self.facts.continuous.iter().enumerate() {
            let u = match integrated.get(at) {
                Some(u) if !given => *u,
                _ => self.memory.inputs.curves[input].u,
            };
            if let Some(x) = self.x.get_mut(states + at) {
                *x = u;
            }
        }
    }

    /// A communication step begins: the integration goes on with the driven inputs where they were given (Viel 2014,
    /// equation 23).
    pub(super) fn begin_driven(&mut self) {
        let (t, states) = (self.memory.method.time(), self.facts.states);
        self.gather_driven(true);
        let integrated = &self.memory.method.states()[..states];
        self.x[..states].copy_from_slice(integrated);
        self.memory.method.go_on(t, &self.x);
        self.memory
            .inputs
            .drive(&self.facts.continuous, &self.x[states..]);
    }

    /// A communication step has ended: the driven inputs are where the integration has led to.
    pub(super) fn end_driven(&mut self) {
        self.gather_driven(false);
        let driven = &self.x[self.facts.states..];
        self.memory.inputs.drive(&self.facts.continuous, driven);
    }
}
