//! Newton's method over whole steps: finds inputs of a loop at the end of a step that equal the outputs computed with them.

use super::Master;
use super::plan::{Group, Unknowns};
use super::step::{BEGINNING, Ended};
use super::unknowns::differences;
use crate::component::Outcome;
use crate::error::Error;
use crate::solve::{Equations, Sparse};

impl Master {
    pub(super) fn newton(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.each_group(|master, group| match group {
            Group {
                cyclic: true,
                unknowns,
                ..
            } => master.solve_step(unknowns, BEGINNING, h, final_),
            Group { units, .. } => master.once(units, h, final_),
        })
    }

    /// Lets components step with inputs, the unknowns, that belong to each other at the end of the step.
    pub(super) fn solve_step(
        &mut self,
        unknowns: &mut Unknowns,
        place: usize,
        h: f64,
        final_: bool,
    ) -> Result<Ended, Error> {
        for &component in &unknowns.components {
            self.save_one(component, place)?;
        }
        let mut newton = std::mem::take(&mut unknowns.newton);
        // Begin where the inputs would be extrapolated to.
        for (x, &input) in newton.x.iter_mut().zip(&unknowns.inputs) {
            *x = self.memory.extrapolation.curves.end(input, h);
        }
        let most = self.settings.iterations;
        let mut equations = Steps {
            master: self,
            unknowns,
            place,
            h,
            final_,
            moved: false,
        };
        let mut solved = newton.solve(&mut equations, most);
        while matches!(solved, Ok(Err(_))) && equations.master.loosen() {
            solved = newton.solve(&mut equations, most);
        }
        unknowns.newton = newton;
        let unsolved = match solved {
            Ok(Ok(iterations)) => {
                self.statistics.iterations += iterations as u64;
                for at in 0..unknowns.components.len() {
                    self.hand_on(unknowns.components[at], h)?;
                }
                return Ok(Ended::Done);
            }
            Err(Stop::Ended(ended)) => return Ok(ended),
            Err(Stop::Error(error)) => return Err(error),
            Ok(Err(unsolved)) => unsolved,
        };
        unknowns.newton.forget();
        if self.settings.insist && unsolved.residual.is_finite() {
            self.statistics.unconverged += 1;
            return Ok(Ended::Done);
        }
        let input = unknowns.inputs.get(unsolved.worst).copied().unwrap_or(0);
        Err(Error::Step {
            algorithm: "newton",
            time: self.state.t,
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
    unknowns: &'a Unknowns,
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
            for &component in &self.unknowns.components {
                master.restore_one(component, self.place)?;
            }
        }
        for (&input, x) in self.unknowns.inputs.iter().zip(x) {
            master.memory.extrapolation.curves.aim(
                input,
                master.plan.orders[input],
                &master.state.values.history,
                master.state.values.u[input],
                self.h,
                *x,
            );
        }
        let mut ended = Ended::Done;
        for &component in &self.unknowns.components {
            let outcome = master.advance(component, self.h, self.final_)?;
            if outcome != Outcome::Done {
                ended = ended.and(component, outcome);
            }
        }
        if ended != Ended::Done {
            return Err(Stop::Ended(ended));
        }
        master.residual_of(self.unknowns, x, r);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], r: &[f64], matrix: &mut Sparse) -> Result<(), Stop> {
        let unknowns = self.unknowns;
        differences(self, unknowns, x, r, matrix)
    }

    fn cost(&self) -> usize {
        self.unknowns.colours.len()
    }

    fn tolerated(&self, equation: usize, x: f64) -> f64 {
        self.master.state.convergence * (self.unknowns.nominals[equation] + x.abs())
    }

    fn exact(&self) -> bool {
        false
    }
}
