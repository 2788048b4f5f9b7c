//! What can be said before the first step, and looked after on the way: whether the coupling is stable at all.

use super::Master;
use super::growth::Runaway;
use super::plan::Knot;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};
use crate::solve::{Factors, Square, companion, spectral_radius};

/// Feed-through may change with time: it is looked at again after so many steps.
const LOOK_AGAIN: u64 = 8;

impl Master {
    /// Refuses an algorithm that is unstable however small the step, or whose iterations cannot converge (Andersson 2016,
    /// table 6.1), where components tell their feed-through.
    pub(super) fn foresee(&mut self) -> Result<(), Error> {
        for number in 0..self.plan.loops.len() {
            if self.leaves_open(number) && !self.tells_feed_through(number) {
                let knot = &self.plan.loops[number];
                let names = self.loop_names(&knot.outputs, &knot.inputs).join(" -> ");
                self.warnings.push(format!(
                    "whether the algebraic loop {names} is stable cannot be foreseen: a component does not tell its \
                     feed-through"
                ));
            }
        }
        self.look_at_loops()
    }

    /// Looks at what a step has led to.
    #[inline]
    pub(super) fn watch(&mut self) -> Result<(), Error> {
        if let Some(runaway) = self.growth.look(&self.values.y) {
            return self.runs_away(runaway);
        }
        if !self.plan.loops.is_empty() && self.statistics.steps.is_multiple_of(LOOK_AGAIN) {
            return self.look_at_loops();
        }
        Ok(())
    }

    #[cold]
    fn runs_away(&mut self, runaway: Runaway) -> Result<(), Error> {
        let Runaway {
            output,
            beyond,
            factor,
        } = runaway;
        let value = self.values.y[output];
        let grows = factor.map_or_else(String::new, |factor| {
            format!(" and grows by a factor of {factor:.2} from step to step")
        });
        let error = Error::Diverged {
            variable: self.coupling.outputs[output].name.clone(),
            time: self.t,
            value,
            grows,
            advice: match self.settings.algorithm {
                Algorithm::Jacobi | Algorithm::GaussSeidel if self.plan.loops.is_empty() => {
                    "Take a smaller step or error control, or the algorithm newton, stabilized or aggregate"
                }
                Algorithm::Jacobi | Algorithm::GaussSeidel
                    if self.settings.correction == Correction::None =>
                {
                    "Take a smaller step, error control, a correction, or the algorithm newton"
                }
                Algorithm::Jacobi | Algorithm::GaussSeidel => {
                    "Take a smaller step, error control, or the algorithm newton"
                }
                Algorithm::IteratedGaussSeidel
                | Algorithm::Newton
                | Algorithm::Stabilized
                | Algorithm::Aggregate => {
                    "Take a smaller step or error control; if it stays so, the coupled system itself is unstable"
                }
            },
        };
        // Whoever insists may see large numbers, up to a point.
        match self.settings.insist && !beyond {
            true => Ok(()),
            false => Err(error),
        }
    }

    /// Whether the algorithm leaves an algebraic loop to be closed by one step after another.
    fn leaves_open(&self, number: usize) -> bool {
        let closed = match self.settings.algorithm {
            Algorithm::Newton | Algorithm::Aggregate => true,
            // A correction comes after the iterations, which have to converge by themselves.
            Algorithm::IteratedGaussSeidel => false,
            Algorithm::Jacobi | Algorithm::GaussSeidel | Algorithm::Stabilized => {
                self.settings.correction != Correction::None
            }
        };
        if closed {
            return false;
        }
        let components = &self.plan.loops[number].components;
        let mut units = self.plan.groups.iter().flat_map(|group| &group.units);
        let solved = units.any(|unit| {
            unit.algorithm == Algorithm::Newton
                && unit.components.len() > 1
                && components.iter().all(|one| unit.components.contains(one))
        });
        !solved
    }

    pub(super) fn tells_feed_through(&mut self, number: usize) -> bool {
        let components = std::mem::take(&mut self.plan.loops[number].components);
        let tells = components
            .iter()
            .all(|&component| self.component(component).can.directional_derivatives);
        self.plan.loops[number].components = components;
        tells
    }

    fn look_at_loops(&mut self) -> Result<(), Error> {
        for number in 0..self.plan.loops.len() {
            if !self.leaves_open(number) || !self.tells_feed_through(number) {
                continue;
            }
            let mut knot = std::mem::take(&mut self.plan.loops[number]);
            let looked = self.look_at_loop(&mut knot);
            self.plan.loops[number] = knot;
            looked?;
        }
        Ok(())
    }

    /// The spectral radius of the feed-through around a loop, where all components step at once.
    pub(super) fn radius_of(&mut self, knot: &Knot) -> Result<f64, Error> {
        self.ask_feed_through(&knot.components)?;
        Ok(spectral_radius(&self.around(knot)))
    }

    /// How the inputs of a loop follow each other, by the feed-through that was asked for.
    fn around(&mut self, knot: &Knot) -> Square {
        let n = knot.inputs.len();
        let mut a = Square::zeros(n);
        for row in 0..n {
            for column in 0..n {
                a[(row, column)] = self.gain(knot.inputs[row], knot.inputs[column]);
            }
        }
        a
    }

    /// Whether the inputs still follow each other so.
    fn is_around(&mut self, knot: &Knot, before: &Square) -> bool {
        let n = knot.inputs.len();
        (0..n * n).all(|at| {
            let (row, column) = (at / n, at % n);
            self.gain(knot.inputs[row], knot.inputs[column]) == before[(row, column)]
        })
    }

    fn look_at_loop(&mut self, knot: &mut Knot) -> Result<(), Error> {
        self.ask_feed_through(&knot.components)?;
        let algorithm = self.settings.algorithm;
        let by_differences = knot
            .inputs
            .iter()
            .any(|&input| self.plan.orders[input] > 0 && !self.plan.told[input]);
        let iterates = algorithm.repeats();
        let order = match by_differences && !iterates {
            true => self.settings.extrapolation,
            false => 0,
        };
        let radius = match &knot.seen {
            Some((before, radius)) if self.is_around(knot, before) => *radius,
            _ => {
                let a = self.around(knot);
                let radius = match self.carried(knot, &a) {
                    Some(matrix) => spectral_radius(&companion(&matrix, order)),
                    None => f64::INFINITY,
                };
                knot.seen = Some((a, radius));
                radius
            }
        };
        if radius <= 1.0 + 1e-9 {
            return Ok(());
        }
        let name = algorithm.as_str();
        let error = Error::Unstable {
            algorithm: match (iterates, order) {
                (true, _) => format!("{name} does not converge"),
                (false, 0) => format!("{name} is unstable"),
                (false, order) => {
                    format!("{name} with inputs extrapolated by differences of order {order} is unstable")
                }
            },
            variables: self.loop_names(&knot.outputs, &knot.inputs),
            time: self.t,
            radius,
            instead: match iterates {
                // A correction comes after the iterations, which have to converge by themselves.
                true => "Take the algorithm newton",
                false => "Take correction = \"linear\" or \"consistent\", or the algorithm newton",
            },
        };
        if !self.settings.insist {
            return Err(error);
        }
        if self.statistics.unstable == 0 {
            self.warnings.push(error.to_string());
        }
        self.statistics.unstable += 1;
        Ok(())
    }

    /// The matrix that carries an error of the inputs of a loop from step to step, or from iteration to iteration, for
    /// steps of size 0: `A (I - P A)^-1 (I - P)`, where `A` is how inputs follow inputs, and `P` takes those whose
    /// sources step before them.
    fn carried(&self, knot: &Knot, a: &Square) -> Option<Square> {
        let n = knot.inputs.len();
        if self.settings.algorithm.at_once() {
            return Some(a.clone());
        }
        let mut place = vec![0; self.components.len()];
        let units = self.plan.groups.iter().flat_map(|group| &group.units);
        for (at, component) in units.flat_map(|unit| &unit.components).enumerate() {
            place[*component] = at;
        }
        let ready = |unknown: usize| {
            let (source, owner) = (
                knot.components[knot.source[unknown]],
                knot.components[knot.owner[unknown]],
            );
            place[source] < place[owner]
        };
        let mut factors = Factors::default();
        let unit = |row: usize, column: usize| f64::from(u8::from(row == column));
        let inner = Square::from_fn(n, |row, column| {
            unit(row, column) - if ready(row) { a[(row, column)] } else { 0.0 }
        });
        if !factors.factorize(&inner) {
            return None;
        }
        let mut carried = Square::zeros(n);
        for column in (0..n).filter(|&column| !ready(column)) {
            let mut x: Vec<f64> = (0..n).map(|row| unit(row, column)).collect();
            factors.solve(&mut x);
            for row in 0..n {
                carried[(row, column)] = (0..n).map(|k| a[(row, k)] * x[k]).sum();
            }
        }
        Some(carried)
    }
}
