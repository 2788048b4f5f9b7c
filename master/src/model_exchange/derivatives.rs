//! Derivatives of outputs by time at a communication point.

use fmu_importer::Error;

use super::SteppedModel;
use super::plant::Plant;
use crate::component::ComponentError;

/// The highest order.
pub(super) const HIGHEST: u32 = 2;

impl Plant<'_> {
    /// How the smooth outputs change where the FMU is; `dx` becomes the derivatives of the states there.
    fn output_slopes(&mut self, t: f64, dx: &mut [f64], dy: &mut [f64]) -> Result<(), Error> {
        if !dx.is_empty() {
            self.instance.derivatives(dx)?;
        }
        let facts = self.facts;
        self.along(&facts.smooth_references, facts.of_outputs, t, dx, dy)
    }

    /// The second derivatives of the smooth outputs at `t` and `x`: the difference of the first ones a little further along the
    /// solution. The FMU is then where it was.
    fn output_bends(&mut self, t: f64, x: &[f64], ddy: &mut [f64]) -> Result<(), Error> {
        let (mut dx, mut near, mut dy) = (x.to_vec(), x.to_vec(), vec![0.0; ddy.len()]);
        self.output_slopes(t, &mut dx, &mut dy)?;
        let step = self.little_further(t, x, &dx);
        for (near, dx) in near.iter_mut().zip(&dx) {
            *near += step * dx;
        }
        self.place(t + step, &near)?;
        let found = self.output_slopes(t + step, &mut dx, ddy);
        self.place(t, x)?;
        self.set_given_inputs()?;
        found?;
        for (ddy, dy) in ddy.iter_mut().zip(&dy) {
            *ddy = (*ddy - dy) / step;
        }
        Ok(())
    }
}

impl SteppedModel {
    pub(super) fn smooth_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        dy.fill(0.0);
        let states = self.facts.states;
        let mut smooth = vec![0.0; self.facts.smooth.len()];
        let (method, mut plant) = self.parts();
        let t = method.time();
        let x = method.states()[..states].to_vec();
        match order {
            _ if smooth.is_empty() => {}
            1 => plant.output_slopes(t, &mut x.clone(), &mut smooth)?,
            _ => plant.output_bends(t, &x, &mut smooth)?,
        }
        for (&output, value) in self.facts.smooth.iter().zip(smooth) {
            dy[output] = value;
        }
        Ok(())
    }
}
