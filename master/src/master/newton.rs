//! Newton's method over whole steps: the inputs of a loop of components at the end of a step are those that belong to the
//! outputs that they lead to.

use super::Master;
use super::knots::differences;
use super::plan::{Group, Knot};
use super::step::{BEGINNING, Ended};
use crate::component::Outcome;
use crate::error::Error;
use crate::solve::{Equations, Sparse};

impl Master {
    pub(super) fn newton(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.each_group(|master, group| match group {
            Group {
                cyclic: true, knot, ..
            } => master.solve_step(knot, BEGINNING, h, final_),
            Group { units, .. } => master.once(units, h, final_),
        })
    }

    /// Lets the components of a knot step with inputs that belong to each other at its end.
    pub(super) fn solve_step(
        &mut self,
        knot: &mut Knot,
        place: usize,
        h: f64,
        final_: bool,
    ) -> Result<Ended, Error> {
        for &component in &knot.components {
            self.save_one(component, place)?;
        }
        let mut newton = std::mem::take(&mut knot.newton);
        // Begin where the inputs would be extrapolated to.
        for (x, &input) in newton.x.iter_mut().zip(&knot.inputs) {
            *x = self.scratch.curves.end(input, h);
        }
        let most = self.settings.iterations;
        let mut equations = Steps {
            master: self,
            knot,
            place,
            h,
            final_,
            moved: false,
        };
        let mut solved = newton.solve(&mut equations, most);
        while matches!(solved, Ok(Err(_))) && equations.master.loosen() {
            solved = newton.solve(&mut equations, most);
        }
        knot.newton = newton;
        let unsolved = match solved {
            Ok(Ok(iterations)) => {
                self.statistics.iterations += iterations as u64;
                for at in 0..knot.components.len() {
                    self.hand_on(knot.components[at], h)?;
                }
                return Ok(Ended::Done);
            }
            Err(Stop::Ended(ended)) => return Ok(ended),
            Err(Stop::Error(error)) => return Err(error),
            Ok(Err(unsolved)) => unsolved,
        };
        knot.newton.forget();
        if self.settings.insist && unsolved.residual.is_finite() {
            self.statistics.unconverged += 1;
            return Ok(Ended::Done);
        }
        let input = knot.inputs.get(unsolved.worst).copied().unwrap_or(0);
        Err(Error::Step {
            algorithm: "newton",
            time: self.t,
            iterations: unsolved.iterations,
            worst: self.coupling.inputs[input].name.clone(),
            change: unsolved.residual.abs(),
            advice: "Take a smaller step, or check whether the coupled system has a solution here",
        })
    }
}

/// Why the iterations end.
enum Stop {
    Error(Error),
    Ended(Ended),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// The equations of a step: each input at its end is what its source gives there.
struct Steps<'a> {
    master: &'a mut Master,
    knot: &'a Knot,
    place: usize,
    h: f64,
    final_: bool,
    /// The components are no longer where they were saved.
    moved: bool,
}

impl Equations for Steps<'_> {
    type Stop = Stop;

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Stop> {
        let master = &mut *self.master;
        if std::mem::replace(&mut self.moved, true) {
            for &component in &self.knot.components {
                master.restore_one(component, self.place)?;
            }
        }
        for (&input, x) in self.knot.inputs.iter().zip(x) {
            master.scratch.curves.aim(
                input,
                master.plan.orders[input],
                &master.values.history,
                master.values.u[input],
                self.h,
                *x,
            );
        }
        let mut ended = Ended::Done;
        for &component in &self.knot.components {
            let outcome = master.advance(component, self.h, self.final_)?;
            if outcome != Outcome::Done {
                ended = ended.and(component, outcome);
            }
        }
        if ended != Ended::Done {
            return Err(Stop::Ended(ended));
        }
        master.knot_residual(self.knot, x, r);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], r: &[f64], matrix: &mut Sparse) -> Result<(), Stop> {
        let knot = self.knot;
        differences(self, knot, x, r, matrix)
    }

    fn cost(&self) -> usize {
        self.knot.colours.len()
    }

    fn tolerated(&self, equation: usize, x: f64) -> f64 {
        self.master.convergence * (self.knot.nominals[equation] + x.abs())
    }

    fn exact(&self) -> bool {
        false
    }
}
