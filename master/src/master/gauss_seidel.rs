//! One component after another, each with the newest outputs of those before it; once, or until nothing changes.

use super::Master;
use super::plan::{Group, Unit};
use super::samples::Needs;
use super::step::{BEGINNING, Ended, INNER};
use crate::component::Outcome;
use crate::error::Error;
use crate::settings::Algorithm;

/// Iterations that converge slowly may exceed the limit of the settings by this factor, while each leaves less than this part
/// of the change before it.
const PATIENCE: usize = 40;
const CONVERGES: f64 = 0.995;

impl Master {
    #[inline]
    pub(super) fn gauss_seidel(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.each_group(|master, group| master.once(&mut group.units, h, final_))
    }

    /// Loops of components are repeated until their coupling variables stay the same.
    pub(super) fn iterated_gauss_seidel(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        self.each_group(|master, group| match group.cyclic {
            false => master.once(&mut group.units, h, final_),
            true => {
                let Group {
                    units,
                    unknowns,
                    last,
                    ..
                } = group;
                master.repeat(&unknowns.components, BEGINNING, last, |master| {
                    master.once(units, h, final_)
                })
            }
        })
    }

    /// Lets each group step in its order.
    #[inline]
    pub(super) fn each_group(
        &mut self,
        mut step: impl FnMut(&mut Master, &mut Group) -> Result<Ended, Error>,
    ) -> Result<Ended, Error> {
        let mut groups = std::mem::take(&mut self.plan.groups);
        let mut ended = Ok(Ended::Done);
        for group in &mut groups {
            ended = step(self, group);
            if !matches!(ended, Ok(Ended::Done)) {
                break;
            }
        }
        self.plan.groups = groups;
        ended
    }

    /// Units one after another; inputs from those before go towards the new outputs.
    #[inline]
    pub(super) fn once(&mut self, units: &mut [Unit], h: f64, final_: bool) -> Result<Ended, Error> {
        for unit in units {
            let ended = self.advance_unit(unit, h, final_)?;
            if ended != Ended::Done {
                return Ok(ended);
            }
        }
        Ok(Ended::Done)
    }

    /// One component, or a loop of them by its own algorithm; what they feed goes towards their new outputs, except in
    /// the parallel algorithm.
    #[inline]
    pub(super) fn advance_unit(&mut self, unit: &mut Unit, h: f64, final_: bool) -> Result<Ended, Error> {
        if let [component] = unit.components[..] {
            return self.advance_and_aim(component, h, final_);
        }
        let Unit {
            components,
            algorithm,
            unknowns,
            last,
        } = unit;
        let in_order = |master: &mut Master| -> Result<Ended, Error> {
            for &component in &*components {
                let ended = master.advance_and_aim(component, h, final_)?;
                if ended != Ended::Done {
                    return Ok(ended);
                }
            }
            Ok(Ended::Done)
        };
        match algorithm {
            Algorithm::Jacobi | Algorithm::GaussSeidel | Algorithm::Stabilized => in_order(self),
            Algorithm::IteratedGaussSeidel => self.repeat(components, INNER, last, in_order),
            Algorithm::Newton => self.solve_step(unknowns, INNER, h, final_),
        }
    }

    #[inline]
    pub(super) fn advance_and_aim(&mut self, component: usize, h: f64, final_: bool) -> Result<Ended, Error> {
        let outcome = self.advance(component, h, final_)?;
        if outcome != Outcome::Done {
            return Ok(Ended::Done.and(component, outcome));
        }
        self.hand_on(component, h)?;
        Ok(Ended::Done)
    }

    /// Gives what a component has come to at the end of its step to those that take it in this step.
    #[inline]
    pub(super) fn hand_on(&mut self, component: usize, h: f64) -> Result<(), Error> {
        self.aim(component, h);
        match self.coupling.discrete.is_empty() {
            true => Ok(()),
            false => self.hand_over(component, Needs::End),
        }
    }

    /// Repeats a step from its beginning until the outputs of its components stay the same.
    fn repeat(
        &mut self,
        components: &[usize],
        place: usize,
        last: &mut [f64],
        mut step: impl FnMut(&mut Master) -> Result<Ended, Error>,
    ) -> Result<Ended, Error> {
        for &component in components {
            self.save_one(component, place)?;
        }
        let mut worst = (f64::INFINITY, 0);
        let most = self.settings.iterations;
        // What is left of a change from one iteration to the next: the changes to come add up to left / (1 - left) of it.
        let mut left = 1.0;
        let mut iterations = 0;
        // With `insist` the number of iterations is as it is set, whatever they change.
        let goes_on = !self.settings.insist;
        loop {
            // What is asked for beyond the setting is given up before the step is: roundings may not allow it.
            let may_go_on = goes_on && (left < CONVERGES || self.is_tight()) && iterations < PATIENCE * most;
            if iterations >= most && !may_go_on {
                break;
            }
            iterations += 1;
            let iteration = iterations;
            self.statistics.iterations += 1;
            if 2 * iteration > most && left >= CONVERGES {
                let asked = self.state.convergence;
                self.loosen();
                worst.0 *= asked / self.state.convergence;
            }
            let before = worst.0;
            if iteration > 1 {
                for &component in components {
                    self.restore_one(component, place)?;
                }
            }
            let ended = step(self)?;
            if ended != Ended::Done {
                return Ok(ended);
            }
            worst = (0.0, 0);
            let mut at = 0;
            for &component in components {
                for output in self.coupling.outputs_of(component) {
                    let y = self.state.values.y[output];
                    let nominal = self.coupling.outputs[output].nominal;
                    let change = (y - last[at]).abs() / (self.state.convergence * (nominal + y.abs()));
                    if change > worst.0 || change.is_nan() {
                        worst = (change, output);
                    }
                    last[at] = y;
                    at += 1;
                }
            }
            left = if before.is_finite() { worst.0 / before } else { 1.0 };
            let to_come = if left < 1.0 { left / (1.0 - left) } else { 1.0 };
            if iteration > 1 && worst.0 * to_come.max(1.0) <= 1.0 {
                return Ok(Ended::Done);
            }
            if self.state.values.y[worst.1].is_nan()
                && let Some(error) = self.not_finite()
            {
                return Err(error);
            }
            if worst.0.is_nan() {
                break;
            }
        }
        if self.settings.insist && worst.0.is_finite() {
            self.statistics.unconverged += 1;
            return Ok(Ended::Done);
        }
        let nominal = self.coupling.outputs[worst.1].nominal + self.state.values.y[worst.1].abs();
        Err(Error::Step {
            algorithm: "iterated-gauss-seidel",
            time: self.state.t,
            iterations,
            worst: self.coupling.outputs[worst.1].name.clone(),
            change: worst.0 * self.state.convergence * nominal,
            advice: match left < 1.0 {
                true => "The loop converges too slowly in its order: take newton, or more iterations",
                false => "The loop has a gain above 1 in its order: take newton, or a smaller step",
            },
        })
    }
}
